/** The owners of addresses and ports: what the database remembers is followed in memory. */
import { parseCidr } from '../../../protocols/net/ip.ts'
import type { RowChanges } from '../../../protocols/ovsdb/database.ts'
import { entriesOf } from '../../../protocols/ovsdb/rows.ts'
import { readRecord, recordedIn, type SubjectRecord } from './marks/records.ts'
import type { Northbound, NorthboundRow } from './northbound.ts'

type Nic = NonNullable<SubjectRecord['nic']>

export class Identities {
  /** Servers by IPv4 address, and by IPv6 address or /64 network. */
  readonly #servers = new Map<string, number>()
  /** Public interfaces by port. */
  readonly #nics = new Map<string, Nic>()
  /** The addresses and the port that each row names. */
  readonly #byRow = new Map<string, { readonly addresses: readonly string[]; readonly port: string | undefined }>()

  /** Errors: a transient `DriverError` when the database cannot be reached. */
  follow(database: Northbound): Promise<void> {
    return database.follow({
      table: 'Port_Group',
      columns: ['name', 'external_ids'],
      take: (changes, isFirst) => this.#take(changes, isFirst),
    })
  }

  /** The server with an internal, a public or a Floating IP. */
  find(address: string): number | undefined {
    if (!address.includes(':')) return this.#servers.get(address)
    const network = parseCidr(`${address}/64`, 'drop')
    return this.#servers.get(address) ?? (network.ok ? this.#servers.get(network.cidr) : undefined)
  }

  /** The public interface that has a port. */
  nicAt(name: string): Nic | undefined {
    return this.#nics.get(name)
  }

  #take(changes: RowChanges<Pick<NorthboundRow<'Port_Group'>, 'name' | 'external_ids'>>, isFirst: boolean): void {
    if (isFirst) {
      this.#servers.clear()
      this.#nics.clear()
      this.#byRow.clear()
    }
    // An address may go from one row to another: all that is given up goes first.
    for (const id of changes.keys()) this.#drop(id)
    for (const [id, row] of changes) {
      if (!row) continue
      const marks = entriesOf(row.external_ids)
      const subject = recordedIn({ name: row.name, marks })
      if (subject) this.#add(id, readRecord(subject, { marks }))
    }
  }

  #add(row: string, record: SubjectRecord): void {
    const { subject, internal, nic, primary, floating } = record
    const destinations = [...primary, ...floating].map((one) => one.replace(/\/(32|128)$/, ''))
    const own = [...(internal ? [internal.ipv4, internal.ipv6] : []), ...destinations]
    const addresses = subject.kind === 'server' ? own : []
    for (const address of addresses) this.#servers.set(address, subject.id)
    if (nic) this.#nics.set(nic.port, nic)
    this.#byRow.set(row, { addresses, port: nic?.port })
  }

  #drop(row: string): void {
    const { addresses = [], port } = this.#byRow.get(row) ?? {}
    for (const address of addresses) this.#servers.delete(address)
    if (port !== undefined) this.#nics.delete(port)
    this.#byRow.delete(row)
  }
}
