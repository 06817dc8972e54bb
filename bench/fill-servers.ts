/**
 * Generates SQLite files with many running servers: a server makes the first one as it makes any, and the rows of that
 * one are repeated with other ids, names, labels and addresses.
 */
import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call, idsOf, untilSettled } from './client.ts'
import { fill, keptFile, labelsOf, labelWriter } from './fill.ts'
import type { Workshop } from './processes.ts'

/** Pools that are large enough for all servers, before those that the copies take. */
export const pools = ['--address-pool', '10.0.0.0/8,2001:db8::/32']
const asked = { name: 'bench', server_type: 'cx23', image: 'debian-13', labels: { env: 'prod' } }
/** Ids that the copy of a server takes: its own and those of its two Primary IPs. */
const idsEach = 3

type Rows = Record<string, string | number | null>[]

/** The path of a file with `count` running servers in Project default, which is created on first use. */
export function filledServers(workshop: Workshop, count: number): Promise<string> {
  return keptFile(`${count}-servers`, [asked, pools, copyServers.toString(), labelsOf.toString()], async (draft) => {
    const wolke = await workshop.serve(`sqlite:${draft}`, { more: pools })
    const { body } = await call('POST', `${wolke.url}${publicBase}/servers`, asked)
    await untilSettled(wolke.url, idsOf([body.action, ...body.next_actions]))
    await wolke.stop()
    rmSync(`${draft}.key`)
    fill(draft, ['server', 'server_state', 'primary_ip', 'label', 'address'], (database) =>
      copyServers(database, count),
    )
  })
}

function copyServers(database: DatabaseSync, count: number): void {
  const first = (table: string) => database.prepare(`select * from ${table} order by id`).all() as Rows
  const [server] = first('server')
  const [state] = first('server_state')
  const primaryIps = first('primary_ip')
  const add = adder(database)
  const label = labelWriter(database, 'server', Number(server!.project_id))
  const { next } = database.prepare('select next from id_sequence').get() as { next: number }
  for (let number = 1; number < count; number++) {
    const id = next + number * idsEach
    const labels = labelsOf(number, count)
    add('server', { ...server, id, name: `bench-${number}`, labels: JSON.stringify(labels) })
    add('server_state', { ...state, id })
    label(id, labels)
    for (const [index, one] of primaryIps.entries()) {
      const ip = addressOf(String(one.type), number)
      const own = id + 1 + index
      add('primary_ip', { ...one, id: own, name: `primary_ip-${own}`, ip, server_id: id, dns_ptr: '[]' })
      const address = { ip, family: one.type === 'ipv4' ? 4 : 6, owner: `primary_ip:${own}` }
      add('address', { ...address, project_id: server!.project_id!, released_at: 0 })
    }
  }
  database.prepare('update id_sequence set next = ?').run(next + count * idsEach)
  // Nothing in the file needs the key of the server that began it.
  database.exec('delete from key_canary; delete from installation_secret')
}

/** Addresses beyond those that the pools have given out so far. */
function addressOf(type: string, number: number): string {
  if (type === 'ipv6') return `2001:db8:${(1 + (number >> 16)).toString(16)}:${(number & 0xffff).toString(16)}::/64`
  return `11.${number >> 16}.${(number >> 8) & 0xff}.${number & 0xff}`
}

function adder(database: DatabaseSync) {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (table: string, row: Rows[number]): void => {
    const columns = Object.keys(row)
    let statement = statements.get(table)
    if (!statement) {
      statement = database.prepare(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      )
      statements.set(table, statement)
    }
    statement.run(...Object.values(row))
  }
}
