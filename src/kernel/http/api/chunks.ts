/** Bodies that are sent in chunks: between two of them others get their turn, and a client gets as much as it reads. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { nextTurn, turn } from '../../process/turns.ts'

/** Sending as much takes well under a piece of a turn. */
const chunkBytes = 65_536

/** The bytes of all parts, in order, on behalf of the caller's Project. Nobody may change the parts. */
export function inChunks(parts: readonly Buffer[]): Readable {
  const chunks = chunksOf(parts)
  let next = chunks.next()
  const send = () => {
    for (const part of next.value ?? []) body.push(part)
    next = chunks.next()
    if (next.done) body.push(null)
  }
  let hasBegun = false
  const body = new Readable({
    highWaterMark: chunkBytes,
    // Whoever makes room for more acts for nobody in particular.
    read: AsyncLocalStorage.bind(() => {
      const wait = hasBegun ? nextTurn() : turn()
      hasBegun = true
      if (wait) void wait.then(send)
      else send()
    }),
  })
  return body
}

/** The parts, cut and put together in chunks. */
function* chunksOf(parts: readonly Buffer[]): Generator<readonly Buffer[]> {
  let chunk: Buffer[] = []
  let room = chunkBytes
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const some = part.subarray(from, from + room)
      chunk.push(some)
      from += some.length
      room -= some.length
      if (room > 0) continue
      yield chunk
      chunk = []
      room = chunkBytes
    }
  }
  if (chunk.length > 0) yield chunk
}
