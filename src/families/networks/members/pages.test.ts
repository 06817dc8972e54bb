import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../../../test/kit/database/bare-database.ts'
import { testOlder } from '../../../../test/kit/database/older-database.ts'
import { forEachDatabase, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { memberAddresses } from '../../../migrations/0046-member-addresses.ts'
import { numberOfIpv4 } from '../../../protocols/net/ip.ts'
import { makeBalancer } from '../../load-balancers/proof.ts'
import { makeServer } from '../../servers/proof.ts'
import { cloudSubnet, makeNetwork } from '../proof.ts'

/** As texts they are in another order than as numbers. */
const ranges = ['10.0.9.0/24', '10.0.10.0/24', '10.0.128.0/17', '10.0.2.0/24']
const subnets = ranges.map(cloudSubnet)

interface Member {
  readonly type: 'server' | 'load_balancer'
  readonly id: number
  readonly ip: string
  readonly alias_ips: readonly string[]
  readonly subnet: string
  readonly status: string
}

/** What joins, in this order, and what is left to do of it. */
const asked = [
  { type: 'server', ip: '10.0.10.3', subnet: ranges[1], status: 'ok' },
  { type: 'load_balancer', ip: '10.0.9.200', subnet: ranges[0], status: 'ok' },
  { type: 'server', ip: '10.0.9.30', subnet: ranges[0], status: 'ok', alias_ips: ['10.0.9.31', '10.0.9.4'] },
  { type: 'server', ip: '10.0.255.1', subnet: ranges[2], status: 'detaching' },
  { type: 'load_balancer', ip: '10.0.10.20', subnet: ranges[1], status: 'detaching' },
  { type: 'server', ip: '10.0.128.9', subnet: ranges[2], status: 'updating' },
  { type: 'server', ip: '10.0.9.9', subnet: ranges[0], status: 'attaching' },
  { type: 'load_balancer', ip: '10.0.200.1', subnet: ranges[2], status: 'attaching' },
  { type: 'server', ip: '10.0.10.100', subnet: ranges[1], status: 'attaching' },
] as const

/** Puts all of them into a network, and begins last what is left to do. */
async function fillNetwork(world: World, network: number): Promise<Member[]> {
  const ids: number[] = []
  for (const { type } of asked) ids.push(await (type === 'server' ? makeServer(world) : makeBalancer(world)))
  const act = (at: number, command: string, more: object) =>
    done(world.api.post(`/${asked[at]!.type}s/${ids[at]}/actions/${command}`, { network, ...more }))
  const join = (at: number) => {
    const { ip, alias_ips } = { alias_ips: undefined, ...asked[at]! }
    return act(at, 'attach_to_network', alias_ips ? { ip, alias_ips } : { ip })
  }
  const places = asked.map((_, at) => at)
  for (const at of places.filter((at) => asked[at]!.status !== 'attaching')) await join(at)
  await world.settle()
  for (const at of places) {
    const { status } = asked[at]!
    if (status === 'attaching') await join(at)
    if (status === 'detaching') await act(at, 'detach_from_network', {})
    if (status === 'updating') await act(at, 'change_alias_ips', { alias_ips: ['10.0.128.10'] })
  }
  return asked.map(({ alias_ips, ...one }: (typeof asked)[number] & { alias_ips?: readonly string[] }, at) => {
    return {
      ...one,
      id: ids[at]!,
      alias_ips: one.status === 'updating' ? ['10.0.128.10'] : (alias_ips ?? []),
    } as Member
  })
}

const fieldOf = (member: Member, field: string) =>
  field === 'ip' ? numberOfIpv4(member.ip) : member[field as 'id' | 'type' | 'status']

/** The members that a query asks for, in its order, and by id where that leaves it open. */
function expected(members: readonly Member[], query: URLSearchParams): Member[] {
  const fits = (name: 'type' | 'status' | 'subnet') => (one: Member) =>
    !query.has(name) || query.getAll(name).includes(one[name])
  const order = [...query.getAll('sort'), 'id'].map((text) => text.split(':'))
  return members
    .filter(fits('type'))
    .filter(fits('status'))
    .filter(fits('subnet'))
    .sort((a, b) => {
      for (const [field = '', direction] of order) {
        const [x, y] = [fieldOf(a, field), fieldOf(b, field)]
        if (x !== y) return x < y === (direction !== 'desc') ? -1 : 1
      }
      return 0
    })
}

const sorts = ['', 'sort=ip', 'sort=ip:desc', 'sort=id:desc', 'sort=type', 'sort=type:desc&sort=ip', 'sort=status:desc']
const filters = [
  '',
  'type=server',
  'type=load_balancer',
  'type=load_balancer&type=server&status=ok',
  'status=attaching&status=detaching',
  'status=error',
  `subnet=${ranges[0]}`,
  `subnet=${ranges[1]}&subnet=${ranges[2]}&type=server`,
  `subnet=${ranges[3]}`,
  'subnet=10.0.0.0/16',
]
const pages = ['', 'per_page=2', 'per_page=2&page=2', 'per_page=4&page=2', 'per_page=9', 'per_page=3&page=3', 'page=2']

forEachDatabase('Pages of members', (open) => {
  test('show each member once, in numeric order and after any filter, as all of them show', async () => {
    const world = await open({ runActions: false })
    const [network, other] = [await makeNetwork(world, { subnets }), await makeNetwork(world, { subnets })]
    await fillNetwork(world, other)
    const members = await fillNetwork(world, network)
    for (const sort of sorts) {
      for (const filter of filters) {
        const all = expected(members, new URLSearchParams(`${sort}&${filter}`))
        for (const page of pages) {
          const query = new URLSearchParams(`${sort}&${filter}&${page}`)
          const answer = await done(world.api.get(`/networks/${network}/members?${query}`))
          assert.deepEqual(answer, pageOf(all, query), `${query}`)
        }
      }
    }
  })
})

function pageOf(all: readonly Member[], query: URLSearchParams) {
  const [page, per_page] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 25)]
  const pagination = {
    page,
    per_page,
    previous_page: page > 1 ? page - 1 : null,
    next_page: all.length > page * per_page ? page + 1 : null,
    last_page: Math.max(1, Math.ceil(all.length / per_page)),
    total_entries: all.length,
  }
  return { members: all.slice((page - 1) * per_page, page * per_page), meta: { pagination } }
}

testOlder(
  'members that an older version wrote have their addresses as numbers',
  memberAddresses,
  async ({ db, projectId, write, upgrade }) => {
    const ips = ['10.0.0.2', '10.255.255.254', '172.16.9.10', '192.168.100.1']
    for (const [at, ip] of ips.entries()) {
      await write(
        `insert into network_attachment values (${at + 1}, ${projectId}, 7, ${at}, '${ip}', '[]', null, 'ok')`,
      )
      await write(`insert into load_balancer_place values (${at + 1}, ${projectId}, 7, '${ip}', 'ok')`)
    }
    await upgrade()
    const wanted = ips.map((ip) => ({ ip, address: numberOfIpv4(ip) }))
    for (const table of ['network_attachment', 'load_balancer_place']) {
      assert.deepEqual(await run(db, `select ip, address from ${table} order by address`), wanted, table)
    }
  },
)
