/** Whoever may write is noted on disk before he can, so that a server that is killed knows what it has to count anew. */
import type { Account } from './accounts.ts'
import type { Prisoner } from './jail/confine.ts'

/**
 * Returns a program that runs for an account and has been given nothing of its client's yet, once the store counts on its writes.
 * Errors: of the store, and when it ends before; the program is dead then.
 */
export async function begun(prisoner: Prisoner, { place: { ledger }, state }: Account): Promise<Prisoner> {
  if (ledger === undefined || state.isReadonly) return prisoner
  try {
    await ledger.begin()
    // Whoever connects with one that has ended meanwhile would wait for its end.
    if (prisoner.stdout.destroyed) throw new Error('the program has ended')
  } catch (error) {
    prisoner.child.kill('SIGKILL')
    throw error
  }
  return prisoner
}
