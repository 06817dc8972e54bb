/** Calls of a driver end in time, whatever the infrastructure does. */
import { DriverError } from './define.ts'

/** A call that takes too long counts as failed for now; its late effect does no harm, because drivers refuse old states. */
export async function inTime<T>(effect: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  if (!effect) return undefined
  const late = Promise.withResolvers<never>()
  const timeout = new DriverError('the infrastructure did not answer in time', { transient: true })
  const timer = setTimeout(() => late.reject(timeout), timeoutMs)
  try {
    return await Promise.race([effect, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
