/**
 * Runs long work beside short requests: in slices of a few milliseconds, one per turn of the event loop, taken from
 * each Project in rotation.
 */
import type { ProjectId } from '../scope.ts'
import { projectServed } from './behalf.ts'
import { Rotation } from './rotation.ts'

const waiting = new Rotation<ProjectId | undefined, () => void>()
let isPlanned = false

/** Duration of a slice, in milliseconds. */
const pieceMs = 2

/** Resolves when it is the caller's turn to run a slice. */
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

/** Runs all steps of `work`, as many per slice as fit, and returns its result. A step must take well under a slice. */
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

/** For loops: await the returned function after each step. It returns at once until the current slice is over. */
export function pacing(): () => Promise<void> | undefined {
  let end = performance.now() + pieceMs
  return () => {
    if (performance.now() < end) return undefined
    return nextTurn().then(() => {
      end = performance.now() + pieceMs
    })
  }
}
