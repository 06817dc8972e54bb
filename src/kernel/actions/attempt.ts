/** One attempt at a step of an action, which is given up when the infrastructure does not answer in time. */
import { Postponed } from '../process/faults.ts'
import { DriverError, type Drivers, type LongCalls } from './define.ts'
import { inTime } from './in-time.ts'

/** A step waits so long for a call that may take hours, and a part of that later asks again: others have its place meanwhile. */
const longWaitMs = 10_000
const pausePart = 1 / 5

interface Attempt {
  /** The drivers for this attempt alone. Errors after its end: a transient `DriverError` instead of any call. */
  readonly drivers: Drivers
  end(): void
}

/**
 * Starts an attempt, each of whose calls may take `callTimeoutMs`. What the step does besides, such as reading from a
 * database that is busy, counts for nothing. A step that calls several drivers at once may go on after one of them was
 * late, when it has been repeated and its action may have ended. Its next call would reach the infrastructure with nobody
 * left to see it fail, so there is none.
 *
 * A call that its driver names as long is not given up: the attempt ends with `Postponed` while it is under way, and the
 * next one asks for it again.
 */
export function startAttempt(drivers: Drivers, callTimeoutMs: number): Attempt {
  let isOver = false
  const call = (driver: object, name: string | symbol, method: unknown, input: readonly unknown[]): unknown => {
    if (isOver) throw new DriverError('this attempt was given up', { transient: true })
    const result: unknown = Reflect.apply(method as () => unknown, driver, input)
    if (!(result instanceof Promise)) return result
    if (!(driver as LongCalls).longCalls?.has(name as string)) return inTime(result, callTimeoutMs)
    const waitMs = Math.min(longWaitMs, callTimeoutMs)
    return inTime(result, waitMs, () => new Postponed(waitMs * pausePart))
  }
  const guard = (driver: object) =>
    new Proxy(driver, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target)
        return typeof method === 'function' ? (...input: unknown[]) => call(target, name, method, input) : method
      },
    })
  return {
    drivers: new Proxy(drivers, {
      get(all, name) {
        const driver: unknown = Reflect.get(all, name)
        return typeof driver === 'object' && driver !== null ? guard(driver) : driver
      },
    }),
    end() {
      isOver = true
    },
  }
}
