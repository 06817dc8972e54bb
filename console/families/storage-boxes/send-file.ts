/** Sends a file into a Storage Box in pieces, each of which arrives in the time that a request has. */
import { call } from '../../api/client.ts'
import { ApiFailure } from '../../api/failure.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { upload as sendBytes } from '../../api/upload.ts'

interface Target {
  readonly project: number | undefined
  readonly box: number
  readonly path: string
}

type Sending = Parameters<typeof sendBytes>[3]

const mostBytes = 8 * 1024 * 1024
/** A slow connection has this through in ten seconds at 200 kbit/s. */
const leastBytes = 256 * 1024

/** In place of a piece that did not arrive half of it is sent; the least so often, after a second, then two, and so on. */
const mostTries = 5
const waitMs = 1_000

/**
 * Sends a file, which is in its place in the end. Without that nothing of it stays, and the signal gives it up. An upload that the
 * server no longer knows begins once more. Errors: `ApiFailure`, and the reason of the signal.
 */
export async function sendFile(target: Target, file: Blob, sending: Sending): Promise<void> {
  const isWhole = await sendPieces(target, file, sending, true)
  if (!isWhole) await sendPieces(target, file, sending, false)
}

/** Sends a file, or returns false where it `mayBegin` once more because what has gone is not there. */
async function sendPieces({ project, box, path }: Target, file: Blob, sending: Sending, mayBegin: boolean) {
  const upload = newName()
  const params = { id: box }
  const act: SendPiece = (at, piece, given) => {
    const query = { path, upload, offset: at, size: file.size }
    const request: ApiRequest<'storage_boxes_uploadPiece'> = { operation: 'storage_boxes_uploadPiece', params, query }
    return sendBytes(project, request, piece, given)
  }
  let at = 0
  try {
    let length = mostBytes
    for (; at === 0 || at < file.size; at += length) length = await sendPiece(file, at, length, sending, act)
    return true
  } catch (cause) {
    // What cannot be removed now goes after a day.
    await call(project, 'storage_boxes_removeUpload', { params, query: { upload } }).catch(() => undefined)
    // Nothing but what is at its path is in the way of the first piece.
    if (at > 0 && mayBegin && cause instanceof ApiFailure && cause.code === 'conflict') return false
    throw cause
  }
}

type SendPiece = (at: number, piece: Blob, sending: Sending) => Promise<unknown>

/** Sends what begins at a place, less of it where more does not arrive. Returns how many bytes have gone. */
async function sendPiece(file: Blob, at: number, length: number, { signal, onSent }: Sending, act: SendPiece) {
  let bytes = Math.max(leastBytes, Math.min(length, file.size - at))
  for (let tries = 1; ; ) {
    signal.throwIfAborted()
    try {
      await act(at, file.slice(at, at + bytes), { signal, onSent: (sent) => onSent(at + sent) })
      return bytes
    } catch (cause) {
      if (signal.aborted || tries === mostTries || !isCut(cause)) throw cause
      await pause(cause, tries)
      if (bytes === leastBytes) tries++
      else bytes = Math.max(leastBytes, Math.ceil(bytes / 2))
    }
  }
}

/** Also a request that did not arrive in its time. */
const isCut = (cause: unknown): cause is ApiFailure =>
  cause instanceof ApiFailure && (cause.isPassing || cause.code === 'timeout')

function pause({ retryAt = 0 }: ApiFailure, tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(tries * waitMs, retryAt - Date.now())))
}

/** Pages without TLS have no `randomUUID`. */
function newName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
