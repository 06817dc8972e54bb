/** Starts the programs of boxes, no more of them for a box than leave the machine to others as well. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Programs of one box that run at a time, whoever has asked for them. */
export const mostPrograms = 100

/** How many run for boxes, by the directories of these. */
const running = new Map<string, number>()

/**
 * Resolves with a program once it runs. Errors: why it does not; Node says that by an event which nobody may miss, and has made
 * no pipes by then where the machine has no room for those.
 */
export async function started<Child extends ChildProcess>(child: Child): Promise<Child> {
  await once(child, 'spawn')
  // Its end says all that counts from here on.
  child.on('error', () => undefined)
  return child
}

/** Starts a program for a box. Errors: those of `started`, and when as many run as may. */
export async function startedFor<Child extends ChildProcess>(directory: string, start: () => Child): Promise<Child> {
  const before = running.get(directory) ?? 0
  if (before >= mostPrograms) throw new Error(`${mostPrograms} programs run for the box already`)
  running.set(directory, before + 1)
  const leave = () => {
    const left = running.get(directory)! - 1
    if (left > 0) running.set(directory, left)
    else running.delete(directory)
  }
  try {
    const child = await started(start())
    child.once('exit', leave)
    return child
  } catch (error) {
    leave()
    throw error
  }
}
