/** One attempt at a step of an action, which is given up when the infrastructure does not answer in time. */
import { channels, type DriverMessage, secondsSince } from '../process/channels.ts'
import { Postponed } from '../process/faults.ts'
import { inSpan, type SpanStart, tracer } from '../process/tracing.ts'
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

/** A call of the infrastructure as a span. */
function startOf(of: string | symbol, name: string | symbol): SpanStart {
  const attributes = { 'wolke.driver': String(of), 'wolke.driver.method': String(name) }
  return { name: `${String(of)}.${String(name)}`, kind: 'outgoing', attributes }
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
  const call = (
    driver: object,
    name: string | symbol,
    method: () => unknown,
    input: readonly unknown[],
    of: string | symbol,
  ): unknown => {
    if (isOver) throw new DriverError('this attempt was given up', { transient: true })
    const by = tracer
    const result: unknown = by
      ? inSpan(by, startOf(of, name), () => Reflect.apply(method, driver, input))
      : Reflect.apply(method, driver, input)
    if (!(result instanceof Promise)) return result
    if (!(driver as LongCalls).longCalls?.has(name as string)) return inTime(result, callTimeoutMs)
    const waitMs = Math.min(longWaitMs, callTimeoutMs)
    return inTime(result, waitMs, () => new Postponed(waitMs * pausePart))
  }
  const guard = (driver: object, of: string | symbol) =>
    new Proxy(driver, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name, target)
        if (typeof method !== 'function') return method
        return (...input: unknown[]) => told(String(of), () => call(target, name, method as () => unknown, input, of))
      },
    })
  return {
    drivers: new Proxy(drivers, {
      get(all, name) {
        const driver: unknown = Reflect.get(all, name)
        return typeof driver === 'object' && driver !== null ? guard(driver, name) : driver
      },
    }),
    end() {
      isOver = true
    },
  }
}

/** Tells of a call when it has ended; of one that answers at once nobody hears. */
function told(driver: string, call: () => unknown): unknown {
  if (!channels.driverCall.hasSubscribers) return call()
  const began = performance.now()
  const result = call()
  if (!(result instanceof Promise)) return result
  const tell = (outcome: DriverMessage['outcome']) =>
    channels.driverCall.publish({ driver, outcome, seconds: secondsSince(began) })
  result.then(
    () => tell('success'),
    (error: unknown) => tell(outcomeOf(error)),
  )
  return result
}

function outcomeOf(error: unknown): DriverMessage['outcome'] {
  if (error instanceof Postponed) return 'postponed'
  if (!(error instanceof DriverError)) return 'bug'
  return error.transient ? 'transient' : 'permanent'
}
