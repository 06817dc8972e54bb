/** The doctor in a server: it looks at the database, the keys and the drivers with which the server works. */
import type { Drivers } from '../kernel/actions/define.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Watch } from '../kernel/data/health.ts'
import { connectedProcesses } from '../kernel/data/standing.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { processName } from '../kernel/process/identity.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import type { Diagnosis } from './diagnosis.ts'
import { examine } from './examine.ts'
import type { Surroundings } from './patient.ts'

export interface ResidentParts {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly drivers: Drivers
  readonly nameservers: readonly string[]
  readonly watch: Pick<Watch, 'health'>
  /** Without them, only what the server has in its memory is looked at. */
  readonly surroundings: (() => Surroundings) | undefined
}

const nothingKnown: Surroundings = {
  file: undefined,
  folders: [],
  keyFile: undefined,
  previousKeyFile: undefined,
  listeners: [],
  tlsCertificate: undefined,
  smtp: undefined,
  doorsClosed: undefined,
  delegation: 'off',
  clusters: [],
}

/** Looks at everything. Who asks while somebody else does gets the same answer. */
export class Resident {
  readonly #parts: ResidentParts
  #looking: Promise<readonly Diagnosis[]> | undefined

  constructor(parts: ResidentParts) {
    this.#parts = parts
  }

  diagnose(): Promise<readonly Diagnosis[]> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  #look(): Promise<readonly Diagnosis[]> {
    const { db, clock, secrets, drivers, nameservers, watch, surroundings } = this.#parts
    return examine({
      ...(surroundings?.() ?? nothingKnown),
      ...{ isServing: true, clock, nameservers, root: drivers.authority.root?.bind(drivers.authority) },
      open: async () => db,
      keys: async () => secrets.ring,
      health: () => watch.health(),
      processes: async () => [...new Set([processName, ...(await connectedProcesses(db)).map(({ name }) => name)])],
    })
  }
}
