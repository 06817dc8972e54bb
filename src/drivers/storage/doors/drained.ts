/** Writing no faster than the other side reads, until it is gone. */
import type { Writable } from 'node:stream'

/** A stream that is written to, or an answer of HTTP, which is much the same. */
type Drain = Pick<Writable, 'destroyed' | 'writableNeedDrain' | 'write' | 'on' | 'off'>

/**
 * Waits until a stream takes more. Resolves with false once it is closed: nobody reads then. Nothing listens to the stream
 * any more when this resolves.
 */
export function drained(stream: Drain): Promise<boolean> {
  if (stream.destroyed) return Promise.resolve(false)
  if (!stream.writableNeedDrain) return Promise.resolve(true)
  return new Promise((resolve) => {
    const settle = (isOpen: boolean) => {
      stream.off('drain', drain)
      stream.off('close', close)
      stream.off('error', close)
      resolve(isOpen)
    }
    const drain = () => settle(true)
    const close = () => settle(false)
    stream.on('drain', drain)
    stream.on('close', close)
    stream.on('error', close)
  })
}

/** Writes, and waits until the stream takes more. Resolves with false once it is closed. */
export async function send(stream: Drain, bytes: string | Uint8Array): Promise<boolean> {
  if (stream.destroyed) return false
  return stream.write(bytes) ? true : drained(stream)
}
