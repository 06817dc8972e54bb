/** Promises of public interfaces in OVN: filters, sources and addresses, as OVN itself says what it does with packets. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Internal, Overlay } from '../../../src/drivers/hosts/overlay/overlay.ts'
import type { FilterDirection, FilterRule } from '../../../src/families/firewalls/driver.ts'
import { OvnSite, outside, routerMac } from '../kit/ovn.ts'
import { inLab } from '../kit/place.ts'

const any = ['0.0.0.0/0', '::/0']
const open: FilterDirection = { otherwise: 'accept', accept: [] }
const drop = (...accept: readonly FilterRule[]): FilterDirection => ({ otherwise: 'drop', accept })
const rule = (protocol: FilterRule['protocol'], port: number | null, networks = any): FilterRule => {
  return { protocol, ports: port === null ? null : { first: port, last: port }, networks }
}

interface Server {
  readonly id: number
  readonly internal: Internal
  readonly mac: string
  readonly port: string
  readonly ipv4: string
  readonly ipv6: string
}

/** Which infrastructure it is makes no difference to OVN. */
const location = 1
let ids = 0

describe('public interfaces in OVN', inLab, () => {
  let site: OvnSite
  let overlay: Overlay

  before(async () => {
    site = await OvnSite.open()
    overlay = await site.overlay()
    await overlay.prepare()
  })

  after(() => site.close())

  /** A server with addresses of its own and a port, which is not filtered unless it is said. */
  async function make(filters?: { inbound?: FilterDirection; outbound?: FilterDirection }): Promise<Server> {
    const id = ++ids
    const internal = await overlay.reserve(id, 1, null)
    assert.ok(internal)
    const mac = `96:00:00:00:00:${id.toString(16).padStart(2, '0')}`
    const port = `incus-net3-instance-${id}-eth0`
    const [ipv4, ipv6] = [`198.18.0.${id}`, `2001:db8:100:${id}::/64`]
    await overlay.admit({ server: id, generation: 1, instance: `${id}`, mac, ipv4, ipv6, isClosed: false })
    const { inbound = open, outbound = open } = filters ?? {}
    if (filters) await overlay.firewalls.apply({ serverId: id, generation: 1, location, inbound, outbound })
    await site.plug(port, mac, internal.ipv4, internal.ipv6)
    return { id, internal, mac, port, ipv4, ipv6: ipv6.replace('/64', '1') }
  }

  /** A packet that a server sends by its router, from an own address unless another source is said. */
  const sent = (
    { port, mac, ipv4 }: Server,
    flow: string,
    source = `ip4.src == ${ipv4} && ip4.dst == ${outside.ipv4}`,
  ) =>
    site.trace(
      'incus-net3-ls-int',
      `inport == "${port}" && eth.src == ${mac} && eth.dst == ${routerMac} && ip.ttl == 64 && ${source} && ${flow}`,
    )

  const to = ({ ipv4 }: Server) => `ip4.src == ${outside.ipv4} && ip4.dst == ${ipv4}`
  const to6 = ({ ipv6 }: Server) => `ip6.src == ${outside.ipv6} && ip6.dst == ${ipv6}`

  test('let in what a filter accepts, of all protocols and both families', async () => {
    const server = await make({
      inbound: drop(rule('tcp', 22), rule('udp', 53, ['198.51.100.0/24']), rule('icmp', null), rule('esp', null, any)),
    })
    const got = [server.port]
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), got)
    assert.deepEqual(await site.traceInbound(`${to6(server)} && tcp.dst == 22`), got)
    assert.deepEqual(await site.traceInbound(`${to(server)} && udp.dst == 53`), got)
    assert.deepEqual(await site.traceInbound(`${to(server)} && icmp4.type == 8`), got)
    assert.deepEqual(await site.traceInbound(`${to6(server)} && icmp6.type == 128`), got)
    assert.deepEqual(await site.traceInbound(`${to(server)} && ip.proto == 50`), got)
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 80`), [])
    assert.deepEqual(await site.traceInbound(`${to6(server)} && udp.dst == 53`), [])
    assert.deepEqual(await site.traceInbound(`${to(server)} && ip.proto == 47`), [])
  })

  test('let out what a filter accepts, and requests for metadata anyway', async () => {
    const server = await make({ outbound: drop(rule('udp', 53), rule('gre', null, ['198.51.100.1/32'])) })
    assert.deepEqual(await sent(server, 'udp.dst == 53'), ['outside'])
    assert.deepEqual(await sent(server, 'ip.proto == 47'), ['outside'])
    assert.deepEqual(await sent(server, 'tcp.dst == 53'), [])
    const metadata = (source: string) => `ip4.src == ${source} && ip4.dst == 169.254.169.254`
    assert.deepEqual(await sent(server, 'tcp.dst == 80', metadata(server.ipv4)), ['outside'])
    assert.deepEqual(await sent(server, 'tcp.dst == 80', metadata(server.internal.ipv4)), ['outside'])
    assert.deepEqual(await sent(server, 'tcp.dst == 81', metadata(server.ipv4)), [])
  })

  test('let out no source that is not a server its own', async () => {
    const [server, other] = [await make(), await make()]
    const from = (source: string) => sent(server, 'tcp.dst == 80', `ip4.src == ${source} && ip4.dst == ${outside.ipv4}`)
    assert.deepEqual(await from(server.ipv4), ['outside'])
    assert.deepEqual(await from(other.ipv4), [])
    assert.deepEqual(await from(server.internal.ipv4), [], 'the internal address is for metadata alone')
    assert.deepEqual(await sent({ ...server, mac: other.mac }, 'tcp.dst == 80'), [])
    const from6 = (source: string) =>
      sent(server, 'tcp.dst == 80', `ip6.src == ${source} && ip6.dst == ${outside.ipv6}`)
    assert.deepEqual(await from6(`${server.ipv6.slice(0, -1)}dead`), ['outside'])
    assert.deepEqual(await from6(other.ipv6), [])
  })

  test('reach each other by their router alone, whatever Project they are of', async () => {
    const [server, other] = [await make(), await make()]
    const aside = (to: string, packet: string) => {
      const frame = `inport == "${server.port}" && eth.src == ${server.mac} && eth.dst == ${to}`
      return site.trace('incus-net3-ls-int', `${frame} && ip.ttl == 64 && ${packet} && udp.dst == 7`)
    }
    const toOther = `ip4.src == ${server.ipv4} && ip4.dst == ${other.ipv4}`
    assert.deepEqual(await aside(routerMac, toOther), [other.port])
    assert.deepEqual(await aside(other.mac, toOther), [])
    const toInternal = `ip4.src == ${server.ipv4} && ip4.dst == ${other.internal.ipv4}`
    assert.deepEqual(await aside(other.mac, toInternal), [])
    assert.deepEqual(await aside(routerMac, toInternal), [])
    const toInternal6 = `ip6.src == ${server.ipv6} && ip6.dst == ${other.internal.ipv6}`
    assert.deepEqual(await aside(routerMac, toInternal6), [])
    assert.deepEqual(await aside(other.mac, 'ip6.src == fe80::7 && ip6.dst == fe80::8'), [])
    assert.deepEqual(await aside('33:33:00:00:00:fb', 'ip6.src == fe80::7 && ip6.dst == ff02::fb'), [])
    assert.deepEqual(await aside('ff:ff:ff:ff:ff:ff', `ip4.src == ${server.ipv4} && ip4.dst == 255.255.255.255`), [])
  })

  test('answer nobody for an address that is not their own', async () => {
    const [server, other] = [await make(), await make()]
    const asks = (spa: string) =>
      site.trace(
        'incus-net3-ls-int',
        `inport == "${server.port}" && eth.src == ${server.mac} && eth.dst == ff:ff:ff:ff:ff:ff && arp.op == 1 && ` +
          `arp.spa == ${spa} && arp.sha == ${server.mac} && arp.tpa == 172.31.1.1`,
      )
    assert.deepEqual(await asks(server.ipv4), [server.port], 'the router answers')
    assert.deepEqual(await asks(other.ipv4), [])
    assert.deepEqual(await asks('172.31.1.1'), [])
  })

  test('let nothing pass until their filter is known, where one is to come', async () => {
    const server = await make()
    const nic = { server: server.id, instance: `${server.id}`, mac: server.mac, ipv4: server.ipv4, ipv6: null }
    await overlay.admit({ ...nic, generation: 2, isClosed: true })
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), [])
    assert.deepEqual(await sent(server, 'tcp.dst == 22'), [])
    await overlay.firewalls.apply({ serverId: server.id, generation: 1, location, inbound: open, outbound: open })
    await overlay.converged()
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), [server.port])
  })

  test('keep their filter when the instance is made again, before it has its port', async () => {
    const server = await make({ inbound: drop(rule('tcp', 22)) })
    const port = `incus-net3-instance-again-${server.id}-eth0`
    await overlay.admit({
      ...server,
      server: server.id,
      generation: 2,
      instance: `again-${server.id}`,
      ipv6: null,
      isClosed: false,
    })
    await site.plug(port, server.mac, server.internal.ipv4, server.internal.ipv6)
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), [port])
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 23`), [])
    assert.deepEqual(await sent({ ...server, port }, 'tcp.dst == 80'), ['outside'])
  })

  test('lead a Floating IP to one server, which alone may send from it', async () => {
    const [server, other] = [await make(), await make()]
    const ip = `198.18.9.${server.id}`
    const towards = `ip4.src == ${outside.ipv4} && ip4.dst == ${ip} && tcp.dst == 22`
    const from = (one: Server) => sent(one, 'tcp.dst == 80', `ip4.src == ${ip} && ip4.dst == ${outside.ipv4}`)
    await overlay.routing.apply({ serverId: server.id, generation: 1, location, ips: [ip] })
    await overlay.converged()
    assert.deepEqual(await site.traceInbound(towards), [server.port])
    assert.deepEqual([await from(server), await from(other)], [['outside'], []])
    await overlay.routing.apply({ serverId: other.id, generation: 1, location, ips: [ip] })
    await overlay.converged()
    assert.deepEqual(await site.traceInbound(towards), [other.port])
    assert.deepEqual([await from(server), await from(other)], [[], ['outside']])
    // The server that lost it hears of it later, or says once more what it said before.
    await overlay.routing.apply({ serverId: server.id, generation: 1, location, ips: [ip] })
    assert.deepEqual(await site.hopsTo(`${ip}/32`), [other.internal.ipv4])
    await overlay.routing.apply({ serverId: server.id, generation: 2, location, ips: [] })
    assert.deepEqual(await site.hopsTo(`${ip}/32`), [other.internal.ipv4])
    await overlay.routing.apply({ serverId: other.id, generation: 2, location, ips: [] })
    assert.deepEqual(await site.hopsTo(`${ip}/32`), [])
  })

  test('lead a Floating IP that is leaving a server there until another one takes it', async () => {
    const [server, other] = [await make(), await make()]
    const [ip, away] = [`198.18.5.${server.id}`, `198.18.4.${server.id}`]
    const hops = () => Promise.all([site.hopsTo(`${ip}/32`), site.hopsTo(`${away}/32`)])
    const put = (one: Server, generation: number, ips: string[], leaving: string[] = []) =>
      overlay.routing.apply({ serverId: one.id, generation, location, ips, leaving })
    await put(server, 1, [ip, away])
    await put(server, 2, [], [ip])
    assert.deepEqual(await hops(), [[server.internal.ipv4], []])
    assert.deepEqual((await overlay.inventory()).servers.get(server.id)?.damaged, new Set())
    await put(other, 1, [ip])
    await put(server, 3, [], [ip])
    assert.deepEqual(await hops(), [[other.internal.ipv4], []])
    await put(other, 2, [])
    assert.deepEqual(await hops(), [[], []])
  })

  test('lead an address to one server, however many processes move it at once', async () => {
    const servers = [await make(), await make(), await make()]
    const processes = [overlay, await site.overlay(), await site.overlay()]
    const ip = `198.18.8.${servers[0]!.id}`
    await Promise.all(
      Array.from({ length: 30 }, (_, turn) => {
        const server = servers[turn % servers.length]!
        const generation = 1 + Math.floor(turn / servers.length)
        return processes[turn % 2]!.routing.apply({ serverId: server.id, generation, location, ips: [ip] })
      }),
    )
    const hops = await site.hopsTo(`${ip}/32`)
    assert.equal(hops.length, 1)
    const holder = servers.find(({ internal }) => internal.ipv4 === hops[0])
    const inventory = await overlay.inventory()
    const having = servers.filter(({ id }) => inventory.servers.get(id)?.routes.includes(`${ip}/32`))
    assert.deepEqual(having, [holder])
    assert.equal(overlay.identify(ip), holder?.id)
  })

  test('have internal addresses of their own, whoever asks first', async () => {
    const other = await site.overlay()
    const asked = Array.from({ length: 20 }, (_, index) => 10_000 + Math.floor(index / 2))
    const got = await Promise.all(asked.map((id, index) => [overlay, other][index % 2]!.reserve(id, 1, null)))
    assert.equal(new Set(got.map((internal) => internal?.ipv4)).size, 10)
    for (let index = 0; index < 20; index += 2) assert.deepEqual(got[index], got[index + 1])
  })

  test('take hosts apart within a placement group, from any process, until they leave it or are forgotten', async () => {
    const processes = [overlay, await site.overlay()]
    const servers = await Promise.all(Array.from({ length: 6 }, () => make()))
    const take = (index: number, host: string) =>
      processes[index % 2]!.takeHost(servers[index]!.id, 1, { group: 7, host })
    const taken = await Promise.all(servers.map((_, index) => take(index, 'h1')))
    assert.equal(taken.filter(Boolean).length, 1)
    const first = taken.indexOf(true)
    const second = (first + 1) % 6
    assert.deepEqual([await take(first, 'h1'), await take(second, 'h2')], [true, true])
    assert.equal(await processes[0]!.takeHost(servers[second]!.id, 1, { group: 8, host: 'h1' }), true)
    assert.equal(await take(first, 'h2'), true, 'its host was free again')
    await overlay.reserve(servers[first]!.id, 1, 7)
    assert.equal(await take(second, 'h2'), false)
    await overlay.reserve(servers[first]!.id, 1, null)
    assert.equal(await take(second, 'h2'), true)
    await overlay.forget(servers[second]!.id, 2)
    assert.equal(await take(first, 'h2'), true)
  })

  test('ignore what comes late, from any process', async () => {
    const server = await make({ inbound: drop(rule('tcp', 22)) })
    const late = await site.overlay()
    const newer = { serverId: server.id, generation: 5, location, inbound: drop(rule('tcp', 80)), outbound: open }
    await overlay.firewalls.apply(newer)
    await late.firewalls.apply({ ...newer, generation: 4, inbound: open })
    await late.admit({ ...server, server: server.id, generation: 0, instance: 'old', ipv6: null, isClosed: false })
    await overlay.converged()
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 80`), [server.port])
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), [])
  })

  test('leave nothing in force when they are forgotten, until a newer generation', async () => {
    const server = await make({ inbound: drop() })
    await overlay.routing.apply({ serverId: server.id, generation: 1, location, ips: ['198.18.7.7'] })
    await overlay.forget(server.id, 2)
    await overlay.forget(server.id, 2)
    const nic = { ...server, server: server.id, instance: `${server.id}`, ipv6: null, isClosed: false }
    assert.equal(await overlay.reserve(server.id, 2, null), undefined)
    await overlay.admit({ ...nic, generation: 2 })
    await overlay.firewalls.apply({ serverId: server.id, generation: 1, location, inbound: drop(), outbound: open })
    const rows = ['--bare', '--columns=_uuid', 'find']
    assert.equal(await site.nb(...rows, 'ACL', `external_ids:wolke=server-${server.id}`), '')
    assert.deepEqual([await site.hopsTo(`${server.ipv4}/32`), await site.hopsTo('198.18.7.7/32')], [[], []])
    assert.ok(
      !(await site.ports()).includes(server.port),
      'Incus leaves the ports of instances that die with their host',
    )
    const sources = await site.nb('get', 'Address_Set', 'incus_net3_routes_ip4', 'addresses')
    assert.doesNotMatch(sources, new RegExp(`198\\.18\\.7\\.7|${server.ipv4.replaceAll('.', '\\.')}/`))
    assert.equal((await overlay.inventory()).servers.has(server.id), false)
    assert.ok(await overlay.reserve(server.id, 3, null))
    await overlay.admit({ ...nic, generation: 3 })
    assert.equal((await site.hopsTo(`${server.ipv4}/32`)).length, 1)
  })

  test('are made again where somebody has changed their rows, when the same is asked for once more', async () => {
    const server = await make({ inbound: drop(rule('tcp', 22)) })
    const ip = `198.18.6.${server.id}`
    const nic = { ...server, server: server.id, instance: `${server.id}`, ipv6: `${server.ipv6.slice(0, -1)}/64` }
    const states = {
      server: () => overlay.admit({ ...nic, generation: 1, isClosed: false }),
      filter: () =>
        overlay.firewalls.apply({
          ...{ serverId: server.id, generation: 1, location },
          inbound: drop(rule('tcp', 22)),
          outbound: open,
        }),
      routing: () => overlay.routing.apply({ serverId: server.id, generation: 1, location, ips: [ip] }),
    }
    await states.routing()
    const damaged = async () => [...(await overlay.inventory()).servers.get(server.id)!.damaged]
    const rowOf = async (table: string, ...where: string[]) =>
      (await site.nb('--bare', '--columns=_uuid', 'find', table, ...where)).split('\n').find((id) => id !== '')!
    const route = () => rowOf('Logical_Router_Static_Route', `ip_prefix="${ip}/32"`)
    const filterRow = () => rowOf('ACL', `external_ids:wolke=server-${server.id}`, 'action=drop', 'direction=to-lport')
    const harms: readonly [keyof typeof states, () => Promise<unknown>][] = [
      ['filter', async () => site.nb('set', 'ACL', await filterRow(), 'action=allow')],
      ['filter', () => site.nb('pg-del', `wolke_server_${server.id}_filter`)],
      ['server', () => site.nb('clear', 'Port_Group', `wolke_server_${server.id}`, 'acls')],
      ['server', () => site.nb('lr-route-del', 'incus-net3-lr', `${server.ipv4}/32`)],
      ['routing', async () => site.nb('set', 'Logical_Router_Static_Route', await route(), 'nexthop=172.31.0.9')],
      ['routing', () => site.nb('remove', 'Address_Set', 'incus_net3_routes_ip4', 'addresses', `"${ip}/32"`)],
    ]
    assert.deepEqual(await damaged(), [])
    for (const [state, harm] of harms) {
      await harm()
      assert.deepEqual(await damaged(), [state])
      if (state === 'filter') {
        // What else is asked for meanwhile does not hide it.
        await states.server()
        assert.deepEqual(await damaged(), [state])
      }
      await states[state]()
      assert.deepEqual(await damaged(), [])
    }
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 22`), [server.port])
    assert.deepEqual(await site.traceInbound(`${to(server)} && tcp.dst == 23`), [])
    assert.deepEqual(await sent(server, 'tcp.dst == 80', `ip4.src == ${ip} && ip4.dst == ${outside.ipv4}`), ['outside'])
  })

  test('have their ports checked by OVN itself, also those that are made again', async () => {
    const { port, mac, internal } = await make()
    const isChecked = () => site.nb('--timeout=10', 'wait-until', 'Logical_Switch_Port', port, 'port_security!=[]')
    await isChecked()
    await site.nb('lsp-del', port)
    await site.plug(port, mac, internal.ipv4, internal.ipv6)
    await isChecked()
  })

  test('get their gateway back when Incus takes it away', async () => {
    const networks = ['172.31.1.1/16', 'fd00:172:31::1/64'].map((network) => `"${network}"`).join(',')
    await site.nb('set', 'Logical_Router_Port', 'incus-net3-lr-lrp-int', `networks=[${networks}]`)
    await site.nb(
      '--timeout=10',
      'wait-until',
      'Logical_Router_Port',
      'incus-net3-lr-lrp-int',
      'networks{>=}"fe80::1/64"',
    )
  })

  test('are filtered, many servers with many rules at once', async () => {
    const rules = (seed: number) =>
      Array.from({ length: 50 }, (_, index) =>
        rule(
          'tcp',
          1_000 + index,
          Array.from({ length: 10 }, (_, j) => `10.${seed}.${index}.${j * 16}/28`),
        ),
      )
    const filter = (serverId: number, generation: number) =>
      overlay.firewalls.apply({
        serverId,
        generation,
        location,
        inbound: drop(...rules(serverId % 200)),
        outbound: open,
      })
    const ids = Array.from({ length: 50 }, (_, index) => 20_000 + index)
    await Promise.all(ids.map((id) => filter(id, 1)))
    await filter(20_007, 2)
    await overlay.converged(30_000)
    const { servers } = await overlay.inventory()
    const generations = ids.map((id) => servers.get(id)?.generations.filter)
    assert.deepEqual(
      generations,
      ids.map((id) => (id === 20_007 ? 2 : 1)),
    )
  })
})
