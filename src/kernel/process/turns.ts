/**
 * Work that takes long, beside requests that do not: it is done in pieces of a few milliseconds, and between two turns of
 * the event loop one piece of all of it, on behalf of each Project in rotation.
 */
import type { ProjectId } from '../scope.ts'
import { projectServed } from './behalf.ts'
import { Rotation } from './rotation.ts'

const waiting = new Rotation<ProjectId | undefined, () => void>()
let isPlanned = false

/** How long a piece of work may take, in milliseconds. */
const pieceMs = 2

/** Resolves when it is the caller's turn to do a piece of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(projectServed(), resolve)
    plan()
  })
}

function plan(): void {
  if (isPlanned) return
  isPlanned = true
  setImmediate(() => {
    isPlanned = false
    waiting.take()?.()
    if (waiting.size > 0) plan()
  })
}

/** Does all steps of `work`, as many in each turn as fit into it, and returns what it returns. A step takes well under a turn. */
export async function inTurns<T>(work: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    await nextTurn()
    const end = performance.now() + pieceMs
    do {
      const step = work.next()
      if (step.done) return step.value
    } while (performance.now() < end)
  }
}

/** For loops: what it returns is awaited after each step, and resolves at once until a turn is over. */
export function pacing(): () => Promise<void> | undefined {
  let end = performance.now() + pieceMs
  return () => {
    if (performance.now() < end) return undefined
    return nextTurn().then(() => {
      end = performance.now() + pieceMs
    })
  }
}
