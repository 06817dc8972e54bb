import type { TestClock } from '../kit/harness.ts'

/** A clock that goes, because other programs look at theirs. */
export function goingClock(): TestClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance: (ms) => {
      ahead += ms
    },
    set: (time) => {
      ahead = Date.parse(time) - Date.now()
    },
  }
}
