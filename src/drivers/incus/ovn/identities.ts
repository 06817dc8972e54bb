/** Which server a packet comes from, by its source: what the database remembers is followed in memory. */
import { parseCidr } from '../../../net/ip.ts'
import type { Database, RowChanges } from './database.ts'
import { readRecord, recordedIn, type Subject } from './records.ts'
import { entriesOf, type Texts } from './rows.ts'

export class Identities {
  /** Servers by IPv4 address, and by IPv6 address or /64 network. */
  readonly #servers = new Map<string, number>()
  /** What each row says. */
  readonly #byRow = new Map<string, readonly string[]>()

  /** Errors: a transient `DriverError` when the database cannot be reached. */
  follow(database: Database): Promise<void> {
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

  #take(changes: RowChanges, isFirst: boolean): void {
    if (isFirst) {
      this.#servers.clear()
      this.#byRow.clear()
    }
    // An address may go from one row to another: all that is given up goes first.
    for (const id of changes.keys()) this.#drop(id)
    for (const [id, row] of changes) {
      const marks = entriesOf(row?.external_ids)
      const subject = recordedIn({ name: String(row?.name), marks })
      if (subject?.kind === 'server') this.#add(id, subject, marks)
    }
  }

  #add(id: string, subject: Subject, marks: Texts): void {
    const { internal, primary, floating } = readRecord(subject, { marks })
    const destinations = [...primary, ...floating].map((one) => one.replace(/\/(32|128)$/, ''))
    const addresses = [...(internal ? [internal.ipv4, internal.ipv6] : []), ...destinations]
    for (const address of addresses) this.#servers.set(address, subject.id)
    this.#byRow.set(id, addresses)
  }

  #drop(id: string): void {
    for (const address of this.#byRow.get(id) ?? []) this.#servers.delete(address)
    this.#byRow.delete(id)
  }
}
