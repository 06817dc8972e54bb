/** Writing as much at once as there is to write. */
import type { Socket } from 'node:net'

/**
 * Has a socket hand over to the system in one piece whatever is written to it before the next turn. The library of SSH writes
 * each packet in three pieces: one by one, each is a segment of its own, and the first one wakes a client that can do
 * nothing with it.
 */
export function writeTogether(socket: Socket): void {
  const write = socket.write.bind(socket) as (bytes: Uint8Array) => boolean
  let isGathering = false
  const handOver = () => {
    isGathering = false
    socket.uncork()
  }
  const gather = (bytes: Uint8Array): boolean => {
    if (!isGathering) {
      isGathering = true
      socket.cork()
      process.nextTick(handOver)
    }
    return write(bytes)
  }
  socket.write = gather as Socket['write']
}
