/** Spoils answers on their way, below HTTP: the same for plain connections and for those with TLS. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Patience } from './patience.ts'

/** Resets the connection of a request: who waits for the answer gets none. */
export function reset(response: ServerResponse): void {
  const socket = response.socket as (Socket & { readonly _parent?: Socket | null }) | null
  if (!socket || socket.destroyed) return
  // Only the connection below TLS can be reset; where there is no way to it, it ends without the end of TLS.
  const plain = socket._parent ?? socket
  if (plain.resetAndDestroy) plain.resetAndDestroy()
  socket.destroy()
}

type Chunk = string | Uint8Array

/** Takes the pieces of a body instead. */
interface Sink {
  write(bytes: Buffer): void
  /** Gets what is left. */
  end(bytes: Buffer): void
}

/** Sends so many bytes of the body, and never all of it, and then cuts the connection. */
export function truncate(response: ServerResponse, most: number): void {
  const { write } = plainly(response)
  let left = most
  divert(response, {
    write(bytes) {
      if (left === 0) return
      const part = bytes.subarray(0, left)
      left -= part.length
      write(part, left === 0)
    },
    end(bytes) {
      const part = bytes.subarray(0, Math.min(left, bytes.length - 1))
      if (left > 0) write(part, true)
      left = 0
    },
  })
}

export interface Dribbling {
  readonly bytes: number
  readonly everyMs: number
}

/** Sends the body in small pieces. */
export function dribble(response: ServerResponse, { bytes: size, everyMs }: Dribbling, patience: Patience): void {
  const { write, end } = plainly(response)
  const waiting: Buffer[] = []
  let isWhole = false
  let isSending = false
  const send = async () => {
    isSending = true
    for (let all = Buffer.concat(waiting.splice(0)); all.length > 0 || waiting.length > 0; ) {
      write(all.subarray(0, size), false)
      all = Buffer.concat([all.subarray(size), ...waiting.splice(0)])
      await patience.wait(everyMs, response)
      if (response.destroyed) return
    }
    isSending = false
    if (isWhole) end()
  }
  const take = (bytes: Buffer) => {
    waiting.push(bytes)
    if (!isSending) void send()
  }
  divert(response, {
    write: take,
    end(bytes) {
      isWhole = true
      take(bytes)
    },
  })
}

/** The ways of a response that nobody has diverted. */
function plainly(response: ServerResponse) {
  const [write, end] = [response.write.bind(response), response.end.bind(response)]
  return {
    write(bytes: Buffer, isLast: boolean): void {
      const cut = () => void response.socket?.destroy()
      if (bytes.length > 0) write(bytes, isLast ? cut : () => undefined)
      else if (isLast) cut()
    },
    end: () => void end(),
  }
}

/** Sends what is written to a response elsewhere. */
function divert(response: ServerResponse, sink: Sink): void {
  const send = (chunk: unknown, encoding: unknown, done: unknown, to: (bytes: Buffer) => void) => {
    const callback = [chunk, encoding, done].find((one) => typeof one === 'function') as (() => void) | undefined
    const isText = typeof chunk === 'string'
    to(isText || chunk instanceof Uint8Array ? bytesOf(chunk as Chunk, encoding) : Buffer.alloc(0))
    if (callback) process.nextTick(callback)
  }
  Object.assign(response, {
    write(chunk: unknown, encoding?: unknown, done?: unknown) {
      send(chunk, encoding, done, sink.write)
      return true
    },
    end(chunk?: unknown, encoding?: unknown, done?: unknown) {
      send(chunk, encoding, done, sink.end)
      return response
    },
  })
}

function bytesOf(chunk: Chunk, encoding: unknown): Buffer {
  if (typeof chunk !== 'string') return Buffer.from(chunk)
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
}
