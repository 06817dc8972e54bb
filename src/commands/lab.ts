/** A server with a lab has more than others. */

import type { App } from '../app.ts'
import type { Config } from '../config/config.ts'
import { createManagementToken } from '../kernel/access/management-tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database } from '../kernel/data/db.ts'
import { fileOf } from '../kernel/data/dialect.ts'
import { installImage } from '../kernel/data/install.ts'
import { openDatabase } from '../kernel/data/open.ts'
import { ApiError } from '../kernel/errors.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { LabClock } from '../lab/clock.ts'
import type { KeptRules } from '../lab/faults/rules.ts'
import type { LabOptions } from '../lab/options.ts'
import type { Copied } from '../lab/states.ts'
import { migrations } from '../migrations/index.ts'
import { CommandFailure } from './failure.ts'
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
  { database, randomSeed }: Config,
  clock: LabClock,
  { infrastructure, faults }: Beginning,
): LabOptions {
  const file = fileOf(database)
  const lab = { clock, randomSeed, ...(faults ? { faults } : {}) }
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

interface Planted {
  readonly file: string
  readonly text: string
  readonly log: Logger
}

/** Makes what a seed file describes. Errors: `CommandFailure` that names the file, lines and fields; nothing is made then. */
export async function plant({ address }: App, { file, text, log }: Planted): Promise<void> {
  const { seedText } = await import('../lab/seed/seed.ts')
  const { own } = address.cloud
  try {
    const { created, changed, left } = await seedText({ ...own, time: own.time! }, commandLine(), text)
    log.info({ created: created.length, changed: changed.length }, 'the seed is planted')
    for (const field of left) log.warn({ field }, 'the seed says otherwise, and this stays as it is')
  } catch (error) {
    if (error instanceof ApiError) throw new CommandFailure(`--seed ${file}: ${reasonOf(error)}`)
    throw error
  }
}

function reasonOf({ message, details }: ApiError): string {
  const { fields = [] } = (details ?? {}) as { fields?: readonly { name: string; messages?: readonly string[] }[] }
  const all = fields.flatMap(({ name, messages = [] }) => messages.map((one) => `${name}: ${one}`))
  return all.length > 0 ? all.join('; ') : message
}
