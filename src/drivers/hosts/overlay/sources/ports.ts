/**
 * Has OVN check the ports of public interfaces by itself. Incus makes a port anew, unchecked, whenever an instance starts,
 * and tells nobody, so all ports are followed.
 */
import type { RowChanges } from '../../../../protocols/ovsdb/database.ts'
import { atomsOf, called, type Operation } from '../../../../protocols/ovsdb/rows.ts'
import type { Identities } from '../identities.ts'
import { type NorthboundRow, update } from '../northbound.ts'
import type { Site } from '../site.ts'
import { networksBeside, portSecurity } from './port-security.ts'
import { routerAddresses } from './public-guard.ts'

export class Ports {
  readonly #site: Site
  readonly #identities: Identities
  readonly #log: ((message: string, error?: unknown) => void) | undefined
  /** The names of ports with what is checked of each, by the id of its row. */
  readonly #ports = new Map<string, { readonly name: string; readonly security: string }>()

  constructor(site: Site, identities: Identities, log: ((message: string, error?: unknown) => void) | undefined) {
    this.#site = site
    this.#identities = identities
    this.#log = log
  }

  /** Errors: a transient `DriverError` when the database cannot be reached; later ones are logged. */
  follow(): Promise<void> {
    return this.#site.database.follow({
      table: 'Logical_Switch_Port',
      columns: ['name', 'port_security'],
      take: (changes, isFirst) => this.#take(changes, isFirst),
    })
  }

  /** Looks at all ports again. Errors: those of the overlay. */
  check(): Promise<void> {
    return this.#check(this.#ports.keys())
  }

  #take(
    changes: RowChanges<Pick<NorthboundRow<'Logical_Switch_Port'>, 'name' | 'port_security'>>,
    isFirst: boolean,
  ): void {
    if (isFirst) this.#ports.clear()
    for (const [id, row] of changes) {
      if (row) this.#ports.set(id, { name: row.name, security: atomsOf(row.port_security).join() })
      else this.#ports.delete(id)
    }
    this.#check(changes.keys()).catch((error: unknown) => this.#log?.('OVN does not check all ports', error))
  }

  async #check(ids: Iterable<string>): Promise<void> {
    const known = [...ids].flatMap((id) => {
      const port = this.#ports.get(id)
      const nic = port && this.#identities.nicAt(port.name)
      return nic ? [{ ...nic, security: port.security }] : []
    })
    if (known.length === 0) return
    const networks = networksBeside(routerAddresses(await this.#site.public()))
    const changes = known.flatMap(({ port, mac, security }): Operation[] => {
      const wanted = portSecurity(mac, networks)
      if (wanted === security) return []
      return [update('Logical_Switch_Port', [called(port)], { port_security: wanted })]
    })
    if (changes.length > 0) await this.#site.database.transact(changes)
  }
}
