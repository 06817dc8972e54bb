/** Calls of drivers that may fail for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../../src/kernel/actions/define.ts'

/** Repeats a call that fails for now, as the core does, though not for ever. Errors: the last one of the call. */
export async function persist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let left = 5; ; left--) {
    try {
      return await call()
    } catch (error) {
      if (left === 0 || !(error instanceof DriverError && error.transient)) throw error
      await delay(500)
    }
  }
}
