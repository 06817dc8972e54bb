/** Errors of data planes. */
import { DriverError } from '../../kernel/actions/define.ts'

/** What fails for a reason that has nothing to do with the balancer, such as a full disk, may succeed later. */
export async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DriverError) throw error
    throw new DriverError((error as Error).message, { transient: true, cause: error })
  }
}
