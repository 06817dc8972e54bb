/** The options of the lab of a cloud. */
import type { Database } from '../kernel/data/db.ts'
import type { Migration } from '../kernel/data/migrate.ts'
import type { LabClock } from './clock.ts'
import type { KeptRules } from './faults/rules.ts'
import type { Recorder } from './report/recorder.ts'
import type { Copied } from './states.ts'

export interface LabOptions {
  /** The clock of the cloud again, which is that of its database, too. */
  readonly clock: LabClock
  /** Missing where machines are real, or those of many processes. */
  readonly infrastructure?: Copied
  /** The words for what there is instead. */
  readonly outside?: string
  /** The number of clouds that were at the address before, while the process has run; none by default. */
  readonly era?: number
  /** Records what clients do; the app brings one of its own. */
  readonly recorder?: Recorder
  /** The faults with which it begins; none by default. */
  readonly faults?: KeptRules
  /** Decides what happens by chance, such as which requests a fault hits. */
  readonly randomSeed?: string
  /** Databases of other versions need them; without them there are no files with snapshots. */
  readonly migrations?: readonly Migration[]
  /** Puts a database in the place of the one that was closed; in memory by default. */
  install?(image: Uint8Array, clock: LabClock): Promise<Database>
}
