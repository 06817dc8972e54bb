/**
 * Keeps V8's young generation as large as a start leaves it. Under load V8 would double it to 32 MB for good, which takes no
 * processor time off a request: what requests leave behind is gone by the next collection either way.
 */
import { flushCompileCache } from 'node:module'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** As much as a start takes, in bytes. */
const most = 16 * 1024 * 1024
const everyMs = 1_000

/** Begins to keep it; called once, when the start is over. */
export function keepYoungGeneration(): void {
  let isSaved = false
  setInterval(() => {
    // V8 refuses code that it cached under other flags, and that of the next start is read before these are set.
    if (!isSaved) flushCompileCache()
    isSaved = true
    limit()
  }, everyMs).unref()
}

/** When V8 has made it smaller, it may grow again. */
function limit(): void {
  const { space_size: bytes = 0 } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
  setFlagsFromString(`--semi-space-growth-factor=${bytes < most ? 2 : 1}`)
}
