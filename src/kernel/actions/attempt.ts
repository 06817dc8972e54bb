/** One attempt at a step of an action, which is given up when the infrastructure does not answer in time. */
import { DriverError, type Drivers } from './define.ts'
import { inTime } from './in-time.ts'

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
 */
export function startAttempt(drivers: Drivers, callTimeoutMs: number): Attempt {
  let isOver = false
  const call = (driver: object, method: unknown, input: readonly unknown[]): unknown => {
    if (isOver) throw new DriverError('this attempt was given up', { transient: true })
    const result: unknown = Reflect.apply(method as () => unknown, driver, input)
    return result instanceof Promise ? inTime(result, callTimeoutMs) : result
  }
  const guard = (driver: object) =>
    new Proxy(driver, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target)
        return typeof method === 'function' ? (...input: unknown[]) => call(target, method, input) : method
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
