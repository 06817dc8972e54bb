/**
 * A session of SFTP where the file system keeps boxes within their limits. The file server has one word for whatever it has no
 * word for; a client is told what it means where it writes and there is no room. All other bytes pass as they are.
 */
import type { Duplex } from 'node:stream'
import type { Prisoner } from '../jail/confine.ts'
import { isFull, quotaWords, spaceWords } from '../ledger.ts'
import { Framing } from './framing.ts'
import { freeAt } from './kernel.ts'
import { making, PacketReader, refusal, statusCodes, types } from './packets.ts'

/** Hands pieces over that lie beside each other as one. */
class Joined {
  readonly #pass: (piece: Buffer) => void
  #piece: Buffer | undefined

  constructor(pass: (piece: Buffer) => void) {
    this.#pass = pass
  }

  add(piece: Buffer): void {
    const before = this.#piece
    if (before?.buffer === piece.buffer && before.byteOffset + before.length === piece.byteOffset) {
      this.#piece = Buffer.from(piece.buffer, before.byteOffset, before.length + piece.length)
    } else {
      this.flush()
      this.#piece = piece
    }
  }

  flush(): void {
    const piece = this.#piece
    this.#piece = undefined
    if (piece) this.#pass(piece)
  }
}

/** Has a client speak with a file server that has the files of a directory, until either ends. */
export function connectWorded(client: Duplex, { child, stdin, stdout }: Prisoner, directory: string): void {
  const requests = new Framing(() => false)
  const replies = new Framing((type) => type === types.status)
  /** Requests that may need room and are not answered yet: whether they write. */
  const asked = new Map<number, boolean>()
  const note = (head: Buffer): true => {
    const type = head[4]!
    if (type === types.write || making.has(type)) asked.set(head.readUInt32BE(5), type === types.write)
    return true
  }
  const joined = new Joined((piece) => {
    if (!client.write(piece)) stdout.pause()
  })
  const answer = (head: Buffer): boolean => {
    const words = wordsFor(head, asked, directory)
    if (words !== undefined) joined.add(refusal(head.readUInt32BE(5), statusCodes.failure, words))
    return words === undefined
  }
  // Whoever says what nobody says is not served any more.
  const guarded = (work: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      work(chunk)
    } catch {
      child.kill('SIGKILL')
    }
  }
  const look = (chunk: Buffer) => void requests.take(chunk, note, () => undefined)
  client.on('data', guarded(look))
  client.pipe(stdin)
  stdout.on(
    'data',
    guarded((chunk) => {
      replies.take(chunk, answer, (piece) => joined.add(piece))
      joined.flush()
    }),
  )
  client.on('drain', () => stdout.resume())
  stdout.resume()
}

/** What a client is told instead of an answer; undefined where that is right as it is. */
function wordsFor(head: Buffer, asked: Map<number, boolean>, directory: string): string | undefined {
  const type = head[4]!
  if (type !== types.status && type !== types.handle) return undefined
  const reader = new PacketReader(head, 5)
  const id = reader.uint32()
  const isWrite = asked.get(id)
  asked.delete(id)
  if (isWrite === undefined || type !== types.status || reader.uint32() !== statusCodes.failure) return undefined
  if (isFull(freeAt(directory))) return spaceWords
  return isWrite ? quotaWords : undefined
}
