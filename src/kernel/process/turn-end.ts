/**
 * What is handed to the system at the end of a turn of the event loop. Whoever gets several answers of a turn is woken once
 * for all of them, where one by one each would wake them again: that costs the system as much as writing does.
 */

/** So many are handed over at once without waiting for the end. */
const mostTogether = 32

let waiting: (() => void)[] = []

/** Does `work`, which never throws, at the end of this turn. */
export function atEndOfTurn(work: () => void): void {
  waiting.push(work)
  if (waiting.length === 1) setImmediate(endTurn)
  else if (waiting.length >= mostTogether) endTurn()
}

/** Does at once what is left for the end of this turn. */
export function endTurn(): void {
  const all = waiting
  waiting = []
  for (const work of all) work()
}
