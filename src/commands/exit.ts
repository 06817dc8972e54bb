/** Ends the process with its exit code after `ms`, unless it ends by itself before. */
export function endWithin(ms: number): void {
  // Whatever still keeps the process alive is useless by then: a hanging request, or a DNS look-up without a caller.
  setTimeout(() => process.exit(), ms).unref()
}
