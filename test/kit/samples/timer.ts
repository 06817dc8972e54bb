/** The timer of this process, by which rates are counted and things are remembered, in the hands of a test until its end. */
import type { TestContext } from 'node:test'

/** Lets it go on from so many milliseconds later. */
export function advanceTimer(t: TestContext, ms: number): void {
  const really = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => really() + ms)
}

/** Stops it, so that whatever is counted by the second happens within one. */
export function stopTimer(t: TestContext): void {
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
}
