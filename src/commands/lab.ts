/** A server with a lab has more than others. */

import type { Config } from '../config/config.ts'
import { createManagementToken } from '../kernel/access/management-tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database } from '../kernel/data/db.ts'
import { fileOf } from '../kernel/data/dialect.ts'
import { installImage } from '../kernel/data/install.ts'
import { openDatabase } from '../kernel/data/open.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { LabClock } from '../lab/clock.ts'
import type { KeptRules } from '../lab/faults/rules.ts'
import type { LabOptions } from '../lab/options.ts'
import type { Copied } from '../lab/states.ts'
import { migrations } from '../migrations/index.ts'
import { commandLine } from './noted.ts'

/** Makes a management token for a server whose data ends with it. */
export async function makeLabToken(db: Database): Promise<string> {
  return db.transact(async (tx) => {
    const { id, token } = await createManagementToken(tx, { name: 'lab', created: timestamp(tx.now) })
    const event = { operation: 'wolke serve', family: 'management_tokens', subjects: [id] }
    await recordEvent(tx, { actor: commandLine(), ...event })
    return token
  })
}

/** The parts that a lab begins with. */
interface Beginning {
  /** A text says what there is instead of an infrastructure in memory. */
  readonly infrastructure: Copied | string
  readonly faults: KeptRules | undefined
}

/** Testers restore clouds, and a restored one lives in the same file as the one before. */
export function labOf(
  { database, randomSeed: seed }: Config,
  clock: LabClock,
  { infrastructure, faults }: Beginning,
): LabOptions {
  const file = fileOf(database)
  const lab = { clock, seed, ...(faults ? { faults } : {}) }
  if (typeof infrastructure === 'string') return { ...lab, outside: infrastructure }
  if (file === undefined) return { ...lab, infrastructure, migrations }
  return {
    ...lab,
    infrastructure,
    migrations,
    async install(image, clock) {
      await installImage(file, image)
      return openDatabase(database, { clock, databaseNow: clock.now })
    },
  }
}
