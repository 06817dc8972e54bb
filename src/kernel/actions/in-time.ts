/** A timeout for driver calls. */
import { DriverError } from './define.ts'

/**
 * Limits how long a driver call may take. A late call counts as a transient failure; its late effect does no harm,
 * because drivers refuse outdated states.
 */
export async function inTime<T>(effect: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  if (!effect) return undefined
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new DriverError('the infrastructure did not answer in time', { transient: true }))
  const timer = setTimeout(giveUp, timeoutMs)
  try {
    return await Promise.race([effect, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
