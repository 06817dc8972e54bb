/** Ends the process, with the exit code that is set, unless it ends by itself within `ms`. */
export function endWithin(ms: number): void {
  // What keeps it alive then is of no use: a request that never ends, a lookup of a host for which nobody waits.
  setTimeout(() => process.exit(), ms).unref()
}
