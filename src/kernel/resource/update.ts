/**
 * Optimistic updates (spec: Conflicts). A change is made against the version that was read; when a rival wrote in
 * between, it is made anew against what the rival left, and only who keeps losing hears `conflict`.
 */
import { ApiError } from '../errors.ts'
import type { Faults } from '../process/faults.ts'

/** The result of an attempt when the row was no longer as it had read it. */
export const changedMeanwhile = Symbol('changed meanwhile')

const tries = 3

/**
 * Repeats `attempt` until it succeeds, and returns its result. `title` and `id` say what is changed. Errors: 409
 * `conflict`; whatever the attempt throws.
 */
export async function optimistically<T>(
  { title }: { readonly title: string },
  id: number,
  attempt: () => Promise<T | typeof changedMeanwhile>,
): Promise<T> {
  for (let i = 0; i < tries; i++) {
    const result = await attempt()
    if (result !== changedMeanwhile) return result
  }
  throw new ApiError('conflict', `${title} with ID '${id}' changed during the request; please retry`)
}

/** The result of a change that had no rivals, because the transaction has locked what it is about. */
export function unrivalled<T>(result: T | typeof changedMeanwhile): T {
  if (result === changedMeanwhile) throw new Error('what is locked was changed meanwhile')
  return result
}

/** Lets a test's rival write between a read and the write that builds on it. */
export const beforeWrite = (faults: Faults, table: string) => faults.reach(`update/${table}:before-write`)
