/** Starts the programs of boxes, no more of them for a box than leave the machine to others as well. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Programs of one box that run at a time, whoever has asked for them. */
export const mostPrograms = 100

/** A program may take so many milliseconds to end after its client has gone: it may have to write what it was given. */
const goodbyeMs = 10_000

/** How many run for boxes, by the directories of these. */
const running = new Map<string, number>()

/** Ends a program, and resolves when it has ended. */
type GiveWay = () => Promise<void>

/** Programs that nobody needs at the moment, with the directories of their boxes; the one needed longest ago comes first. */
const resting = new Map<GiveWay, string>()

/** Lets a program give way to whoever finds no room at its box, until what this returns is called. */
export function rest(directory: string, giveWay: GiveWay): () => void {
  resting.set(giveWay, directory)
  return () => resting.delete(giveWay)
}

/** As many programs of a box are needed as may run. */
export class NoRoom extends Error {
  constructor() {
    super(`${mostPrograms} programs run for the box already`)
  }
}

/** Ends a program of a box that nobody needs. Errors: `NoRoom`. */
async function makeRoom(directory: string): Promise<void> {
  for (const [giveWay, ofBox] of resting) {
    if (ofBox !== directory) continue
    resting.delete(giveWay)
    return giveWay()
  }
  throw new NoRoom()
}

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

/** Starts a program for a box. Errors: those of `started`, `NoRoom`. */
export async function startedFor<Child extends ChildProcess>(directory: string, start: () => Child): Promise<Child> {
  const count = () => running.get(directory) ?? 0
  while (count() >= mostPrograms) await makeRoom(directory)
  running.set(directory, count() + 1)
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

/** Resolves when a program has ended that has just been started. */
export const endingOf = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve))

/**
 * Sees to the end of a program that has been told that its client is gone. One that waits for a pipe of a customer's, which
 * nobody writes to, does not hear of it.
 */
export function endSoon(child: Pick<ChildProcess, 'kill' | 'once'>): void {
  const patience = setTimeout(() => child.kill('SIGKILL'), goodbyeMs)
  child.once('close', () => clearTimeout(patience))
}
