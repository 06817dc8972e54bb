/** One attempt at a step of an action, which may be given up while it still waits for the infrastructure. */
import { DriverError, type Drivers } from './define.ts'

interface Attempt {
  /** The drivers for this attempt alone. Errors after its end: a transient `DriverError` instead of any call. */
  readonly drivers: Drivers
  end(): void
}

/**
 * Starts an attempt. One that is late goes on by itself when its call returns, although the step has been repeated and its
 * action may have ended by then. Its next call would reach the infrastructure with nobody left to see it fail, so there
 * is none.
 */
export function startAttempt(drivers: Drivers): Attempt {
  let isOver = false
  const call = (driver: object, method: unknown, input: readonly unknown[]): unknown => {
    if (isOver) throw new DriverError('this attempt was given up', { transient: true })
    return Reflect.apply(method as () => unknown, driver, input)
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
