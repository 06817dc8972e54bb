/** A timeout for driver calls. */
import { DriverError } from './define.ts'

/**
 * Limits how long a driver call may take. A late call counts as a transient failure; its late effect does no harm,
 * because drivers refuse outdated states. `whenLate` makes another error of it.
 */
export async function inTime<T>(
  effect: Promise<T> | undefined,
  timeoutMs: number,
  whenLate: () => Error = unanswered,
): Promise<T | undefined> {
  if (!effect) return undefined
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(whenLate()), timeoutMs)
  try {
    return await Promise.race([effect, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const unanswered = () => new DriverError('the infrastructure did not answer in time', { transient: true })
