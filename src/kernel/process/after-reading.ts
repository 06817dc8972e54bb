/**
 * Puts writes off until everything that has come was read. Whoever gets them wakes once for many messages instead of once for
 * each, which costs more than most messages do.
 */
let waiting: (() => void)[] = []

/** Calls `write`, which must not throw, after the reads of this turn of the event loop, in the order of the calls. */
export function afterReading(write: () => void): void {
  if (waiting.push(write) === 1) setImmediate(writeAll)
}

function writeAll(): void {
  const all = waiting
  waiting = []
  for (const write of all) write()
}
