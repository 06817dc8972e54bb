/** Calls that need a fresh proof of who one is wait until it is given, and are then made again. */
import { createStore } from '../lib/store.ts'

interface Waiting {
  readonly resolve: (isProven: boolean) => void
}

/** The calls that wait; the page asks for the proof as long as there are any. */
export const waitingForProof = createStore<readonly Waiting[]>([])

/** Resolves with whether the proof was given. */
export function askForProof(): Promise<boolean> {
  return new Promise((resolve) => waitingForProof.set([...waitingForProof.get(), { resolve }]))
}

export function answerProof(isProven: boolean): void {
  const waiting = waitingForProof.get()
  waitingForProof.set([])
  for (const { resolve } of waiting) resolve(isProven)
}
