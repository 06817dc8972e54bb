/** The background job that forgets consoles that were asked for and that nobody opened. */
import { timestamp } from '../../../kernel/process/clock.ts'
import type { Platform } from '../../../platform.ts'
import { forgetExpired } from './host.ts'

/** Their passwords, sealed as they are, have no further use. */
export async function forgetConsoles({ db }: Platform): Promise<void> {
  await db.transact((tx) => forgetExpired(tx, timestamp(tx.now)))
}
