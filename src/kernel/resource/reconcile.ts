/** Reconciling: what is wanted and not in force is brought about again, for as long as it takes, by whichever process. */
import { inTime } from '../actions/in-time.ts'
import type { ProjectScope } from '../scope.ts'

/** Something whose desired state is not in force. */
export interface Pending {
  readonly id: number
  readonly scope: ProjectScope
}

const atOnce = 200
const callTimeoutMs = 20_000

/**
 * Does `bringAbout` for all that `pending` finds, in the order of their ids; one that fails does not keep the others
 * waiting. Errors: one for all that failed.
 */
export async function reconcile(
  what: string,
  pending: (after: number, limit: number) => Promise<readonly Pending[]>,
  bringAbout: (one: Pending) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (let after = 0; ; ) {
    const some = await pending(after, atOnce)
    for (const one of some) {
      await inTime(bringAbout(one), callTimeoutMs).catch((error: unknown) => failures.push(error))
    }
    if (some.length < atOnce) break
    after = some.at(-1)!.id
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${what} are not in force`)
}
