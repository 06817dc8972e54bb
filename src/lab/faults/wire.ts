/** Spoils answers on their way, below HTTP: the same for plain connections, for those with TLS, and for WebSockets. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { Patience } from './patience.ts'

/** An answer, or the connection over which a WebSocket is answered. */
export type Outgoing = ServerResponse | Socket

type Connection = Socket & { readonly _parent?: Socket | null }

/** A response sends its headers itself; a connection is written the whole answer. */
const isResponse = (outgoing: Outgoing): outgoing is ServerResponse => 'headersSent' in outgoing

const connectionOf = (outgoing: Outgoing) => (isResponse(outgoing) ? outgoing.socket : outgoing) as Connection | null

/** The answers of which a client gets nothing, or not all. */
const lost = new WeakSet<object>()

/** Tells whether a fault has kept an answer, or its end, from the client. */
export function isLost(outgoing: object | undefined): boolean {
  return outgoing !== undefined && lost.has(outgoing)
}

/** Resets the connection of a request: who waits for the answer gets none. */
export function reset(outgoing: Outgoing): void {
  lost.add(outgoing)
  const socket = connectionOf(outgoing)
  if (!socket || socket.destroyed) return
  // Only the connection below TLS can be reset; where there is no way to it, it ends without the end of TLS.
  const plain = socket._parent ?? socket
  if (plain.resetAndDestroy) plain.resetAndDestroy()
  socket.destroy()
}

/** What becomes of the body of an answer, or of all that is sent over a WebSocket. */
export interface Spoiling {
  /** So many bytes of it are sent, and never all of it, and then the connection is cut. */
  readonly mostBytes?: number | undefined
  /** It is sent in small pieces. */
  readonly dribbling?: { readonly bytes: number; readonly everyMs: number } | undefined
}

/** Spoils what is written to an answer from now on. An answer is spoilt once: what is dribbled can be truncated, too. */
export function spoil(outgoing: Outgoing, { mostBytes, dribbling }: Spoiling, patience: Patience): void {
  if (mostBytes === undefined && !dribbling) return
  if (mostBytes !== undefined) lost.add(outgoing)
  const cut = () => void connectionOf(outgoing)?.destroy()
  const stream: Writable = outgoing
  const [write, end] = [stream.write.bind(stream), stream.end.bind(stream)]
  const flow = dribbled({ write, isGone: () => outgoing.destroyed }, dribbling, (ms) => patience.wait(ms, outgoing))
  let left = mostBytes ?? Number.POSITIVE_INFINITY
  divert(outgoing, {
    head: write,
    write(bytes, isEnd) {
      // Whoever is told the length before would take all of it for the whole.
      const most = isEnd && mostBytes !== undefined ? Math.min(left, bytes.length - 1) : left
      const fitting = bytes.subarray(0, most)
      left -= fitting.length
      flow.send(fitting)
      if (left === 0) flow.finish(cut)
    },
    end: () => flow.finish(mostBytes === undefined ? end : cut),
  })
}

interface Outlet {
  readonly write: (bytes: Buffer, sent?: () => void) => unknown
  readonly isGone: () => boolean
}

/** Sends what it is given in pieces, with pauses in between; all at once without. */
function dribbled({ write, isGone }: Outlet, pieces: Spoiling['dribbling'], wait: (ms: number) => Promise<boolean>) {
  const waiting: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  let isSending = false
  let last: (() => void) | undefined
  const piece = (isHurried: boolean) => {
    if (waiting.length > 0) rest = Buffer.concat([rest, ...waiting.splice(0)])
    const size = pieces && !isHurried ? pieces.bytes : rest.length
    const next = rest.subarray(0, size)
    rest = rest.subarray(size)
    return next
  }
  const send = async () => {
    isSending = true
    let isHurried = false
    for (let next = piece(isHurried); next.length > 0; next = piece(isHurried)) {
      // A connection that is cut must not take along what was sent before.
      await new Promise<void>((resolve) => write(next, () => resolve()))
      const isDone = last !== undefined && rest.length + waiting.length === 0
      if (pieces && !isDone) isHurried = !(await wait(pieces.everyMs))
      if (isGone()) return
    }
    isSending = false
    last?.()
  }
  return {
    send(bytes: Buffer) {
      waiting.push(bytes)
      if (!isSending) void send()
    },
    finish(then: () => void) {
      last ??= then
      if (!isSending) void send()
    },
  }
}

/** Takes what is written to an answer instead. */
interface Sink {
  /** Gets the headers, where they are not sent by themselves. */
  head(bytes: Buffer): unknown
  /** `isEnd` tells that nothing comes after it. */
  write(bytes: Buffer, isEnd: boolean): void
  end(): void
}

const headEnd = '\r\n\r\n'

function divert(outgoing: Outgoing, sink: Sink): void {
  let isHead = !isResponse(outgoing)
  const take = (bytes: Buffer, isEnd: boolean) => {
    const end = isHead ? bytes.indexOf(headEnd) + headEnd.length : 0
    isHead = false
    if (end > 0) sink.head(bytes.subarray(0, end))
    if (end < bytes.length) sink.write(bytes.subarray(end), isEnd)
  }
  const send = (given: readonly unknown[], isEnd: boolean) => {
    const [chunk, encoding] = given
    const callback = given.find((one) => typeof one === 'function') as (() => void) | undefined
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) take(bytesOf(chunk, encoding), isEnd)
    if (callback) process.nextTick(callback)
  }
  Object.assign(outgoing, {
    write(...given: readonly unknown[]) {
      send(given, false)
      return true
    },
    end(...given: readonly unknown[]) {
      send(given, true)
      sink.end()
      return outgoing
    },
  })
}

function bytesOf(chunk: string | Uint8Array, encoding: unknown): Buffer {
  if (typeof chunk !== 'string') return Buffer.from(chunk)
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
}
