/** Writing as much at once as there is to write. */
import type { Writable } from 'node:stream'

/**
 * Has a socket or pipe hand over to the system in one piece whatever is written to it before the next turn. Each packet of SSH
 * is written in three pieces: one by one, each is a segment of its own, and the first one wakes a client that can do nothing
 * with it.
 */
export function writeTogether(stream: Writable): void {
  const write = stream.write.bind(stream) as (bytes: Uint8Array) => boolean
  let isGathering = false
  const handOver = () => {
    isGathering = false
    stream.uncork()
  }
  const gather = (bytes: Uint8Array): boolean => {
    if (!isGathering) {
      isGathering = true
      stream.cork()
      process.nextTick(handOver)
    }
    return write(bytes)
  }
  stream.write = gather as Writable['write']
}
