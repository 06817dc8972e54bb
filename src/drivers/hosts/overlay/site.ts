/** The parts of the overlay share this. */
import { DriverError } from '../../../kernel/actions/define.ts'
import { type Logical, type LogicalNetwork, lookUp } from './logical.ts'
import type { Northbound } from './northbound.ts'

export interface SiteOptions {
  readonly database: Northbound
  readonly publicNetwork: string
  logicalNetwork(incusNetwork: string): Promise<LogicalNetwork | undefined>
}

export class Site {
  readonly database: Northbound
  readonly #options: SiteOptions
  /** Incus keeps these names for as long as a network is there. */
  readonly #names = new Map<string, LogicalNetwork>()

  constructor(options: SiteOptions) {
    this.database = options.database
    this.#options = options
  }

  now(): number {
    return Date.now()
  }

  /** The network of public interfaces. Errors: a transient `DriverError` when it is not there. */
  public(): Promise<Logical> {
    return this.logical(this.#options.publicNetwork)
  }

  /** A network of Incus in OVN. Errors: a transient `DriverError` when it is not there. */
  async logical(incusNetwork: string): Promise<Logical> {
    const logical = await this.find(incusNetwork)
    if (!logical) throw new DriverError(`Incus has no network ${incusNetwork}`, { transient: true })
    return logical
  }

  /** A network of Incus in OVN; undefined when Incus has none of this name. */
  async find(incusNetwork: string): Promise<Logical | undefined> {
    const known = this.#names.get(incusNetwork)
    const found = known && (await lookUp(this.database, known))
    if (found) return found
    // It may have been made anew, under other names.
    const names = await this.names(incusNetwork)
    if (!names) return undefined
    const logical = await lookUp(this.database, names)
    if (!logical) throw new DriverError(`OVN does not have network ${incusNetwork} of Incus`, { transient: true })
    this.#names.set(incusNetwork, names)
    return logical
  }

  /** Returns the names in OVN of a network of Incus; undefined when Incus has none of this name. */
  names(incusNetwork: string): Promise<LogicalNetwork | undefined> {
    return this.#options.logicalNetwork(incusNetwork)
  }

  refusal(message: string): DriverError {
    return new DriverError(message, { transient: false })
  }
}
