/**
 * Watches a session between a client of SFTP and the file server, where nobody else counts what a box takes. Whatever makes
 * a file longer is charged before the server gets it, and refused in words when there is no room. Bytes pass as they are.
 */
import { type Ledger, quotaWords, take } from '../ledger.ts'
import { Framing } from './framing.ts'
import { openFlags, PacketReader, packet, refusal, statusCodes, types } from './packets.ts'

interface Handle {
  /** The length of the file, as far as this session knows. */
  size: number
  /** A write was refused: the file is not what its writer wanted, so its size and times are not set as if it were. */
  hasFailed: boolean
  /** Whatever is written goes to the end, wherever its writer says that it belongs. */
  readonly isAppending: boolean
}

export interface WatchedEnds {
  toServer(piece: Buffer): void
  toClient(piece: Buffer): void
}

/** Requests of the watch itself have ids that clients hardly reach; those of a client that does are refused. */
const ownIds = 0xffff_ff00

const wholeRequests: ReadonlySet<number> = new Set([types.open, types.setstat, types.fsetstat, types.extended])
const wholeReplies: ReadonlySet<number> = new Set([types.version, types.handle, types.attrs, types.status])
/** An extension whose growth cannot be known before. */
const unoffered = 'copy-data'

type OpenMode = 'existing' | 'truncating' | 'appending'

export class SftpWatch {
  readonly #ledger: Ledger
  readonly #ends: WatchedEnds
  readonly #requests = new Framing((type) => wholeRequests.has(type))
  readonly #replies = new Framing((type) => wholeReplies.has(type))
  readonly #handles = new Map<string, Handle>()
  /** The handles of writes that are not answered yet, and opens of files to write. */
  readonly #writes = new Map<number, Handle>()
  readonly #opens = new Map<number, OpenMode>()
  /** What waits for the size of a file; nothing else of the client passes meanwhile. */
  #asked: ((size: number | undefined) => void) | undefined
  /** The client sent these while it has to wait. */
  #waiting: Buffer[] = []
  #injected: Buffer[] = []

  constructor(ledger: Ledger, ends: WatchedEnds) {
    this.#ledger = ledger
    this.#ends = ends
  }

  /** Takes what the client sends. Errors: `MalformedPacket`. */
  fromClient(chunk: Buffer): void {
    if (this.#asked) {
      this.#waiting.push(chunk)
      return
    }
    const left = this.#requests.take(
      chunk,
      (head) => this.#isAllowed(head),
      (piece) => this.#ends.toServer(piece),
      () => this.#asked !== undefined,
    )
    if (left) this.#waiting.unshift(left)
  }

  /** Tells whether the client has to wait, so that its channel is not read meanwhile. */
  get isHeld(): boolean {
    return this.#asked !== undefined
  }

  /** Takes what the server says. Errors: `MalformedPacket`. */
  fromServer(chunk: Buffer): void {
    this.#replies.take(
      chunk,
      (head) => {
        // Replies of this watch can stand only between two packets of the server.
        this.#flush()
        return this.#passesReply(head)
      },
      (piece) => this.#ends.toClient(piece),
    )
    if (this.#replies.isBoundary) this.#flush()
    if (this.#asked === undefined) this.#goOn()
  }

  #goOn(): void {
    while (this.#asked === undefined) {
      const next = this.#waiting.shift()
      if (!next) return
      this.fromClient(next)
    }
  }

  #answer(reply: Buffer): void {
    this.#injected.push(reply)
    if (this.#replies.isBoundary) this.#flush()
  }

  #flush(): void {
    for (const reply of this.#injected.splice(0)) this.#ends.toClient(reply)
  }

  #refuse(id: number, code: number = statusCodes.failure, words = quotaWords): false {
    this.#answer(refusal(id, code, words))
    return false
  }

  #isAllowed(head: Buffer): boolean {
    const type = head[4]!
    if (type === types.init) return true
    const reader = new PacketReader(head, 5)
    const id = reader.uint32()
    if (id >= ownIds) return this.#refuse(id, statusCodes.failure, 'ids of requests are smaller than 4294967040')
    switch (type) {
      case types.write:
        return this.#isRoomToWrite(id, reader)
      case types.open:
        return this.#noteOpen(id, reader)
      case types.close:
        this.#handles.delete(reader.bytes().toString('latin1'))
        return true
      case types.fsetstat:
        return this.#maySetSizeOfHandle(id, reader)
      case types.setstat:
        return this.#maySetSizeOfPath(id, head, reader)
      case types.extended:
        return reader.text() !== unoffered || this.#refuse(id, statusCodes.unsupported, 'not offered')
      default:
        return true
    }
  }

  #isRoomToWrite(id: number, reader: PacketReader): boolean {
    const handle = this.#handles.get(reader.bytes().toString('latin1'))
    // The server says what is wrong with a handle that it did not give.
    if (!handle) return true
    const [offset, length] = [reader.uint64(), reader.uint32()]
    const end = handle.isAppending ? handle.size + length : offset + length
    if (!take(this.#ledger, end - handle.size)) {
      handle.hasFailed = true
      return this.#refuse(id)
    }
    if (end > handle.size) handle.size = end
    this.#writes.set(id, handle)
    return true
  }

  #noteOpen(id: number, reader: PacketReader): boolean {
    reader.bytes()
    const flags = reader.uint32()
    if (!(flags & (openFlags.write | openFlags.append))) return true
    const opened = flags & openFlags.truncate ? 'truncating' : 'existing'
    this.#opens.set(id, flags & openFlags.append ? 'appending' : opened)
    return true
  }

  #maySetSizeOfHandle(id: number, reader: PacketReader): boolean {
    const handle = this.#handles.get(reader.bytes().toString('latin1'))
    if (!handle) return true
    if (handle.hasFailed) return this.#refuse(id)
    const { size } = reader.attributes()
    if (size === undefined) return true
    if (!take(this.#ledger, size - handle.size)) {
      handle.hasFailed = true
      return this.#refuse(id)
    }
    handle.size = size
    return true
  }

  #maySetSizeOfPath(id: number, head: Buffer, reader: PacketReader): boolean {
    const path = reader.bytes()
    const { size } = reader.attributes()
    if (size === undefined || size === 0) return true
    // The request waits for what it would change, and everything after it for this one.
    const request = Buffer.from(head)
    this.#ask(packet(types.stat, ownIds, path), (now) => {
      if (now === undefined || take(this.#ledger, size - now)) this.#ends.toServer(request)
      else this.#refuse(id)
    })
    return false
  }

  #ask(question: Buffer, then: (size: number | undefined) => void): void {
    this.#asked = then
    this.#ends.toServer(question)
  }

  #passesReply(head: Buffer): boolean {
    const type = head[4]!
    if (type === types.version) return this.#offerLess(head)
    const reader = new PacketReader(head, 5)
    const id = reader.uint32()
    if (id === ownIds) return this.#settle(type, reader)
    if (type === types.handle) return this.#noteHandle(id, head, reader)
    if (type === types.status) {
      const write = this.#writes.get(id)
      if (write && reader.uint32() !== statusCodes.ok) write.hasFailed = true
      this.#writes.delete(id)
      this.#opens.delete(id)
    }
    return true
  }

  #settle(type: number, reader: PacketReader): false {
    const then = this.#asked
    this.#asked = undefined
    then?.(type === types.attrs ? reader.attributes().size : undefined)
    return false
  }

  #noteHandle(id: number, head: Buffer, reader: PacketReader): boolean {
    const opened = this.#opens.get(id)
    if (opened === undefined) return true
    this.#opens.delete(id)
    const bytes = Buffer.from(reader.bytes())
    const handle: Handle = { size: 0, hasFailed: false, isAppending: opened === 'appending' }
    this.#handles.set(bytes.toString('latin1'), handle)
    if (opened !== 'existing') return true
    // Its client learns of the handle when it is known what a write to it adds. One question is asked at a time: a client
    // that sends more before it has this answer may be charged for what was there already.
    if (this.#asked) return true
    const reply = Buffer.from(head)
    this.#ask(packet(types.fstat, ownIds, bytes), (size) => {
      handle.size = size ?? 0
      this.#answer(reply)
    })
    return false
  }

  #offerLess(head: Buffer): boolean {
    const reader = new PacketReader(head, 5)
    const parts: (number | Buffer)[] = [reader.uint32()]
    for (let left = head.length - 9; left > 0; ) {
      const [name, value] = [reader.bytes(), reader.bytes()]
      left -= 8 + name.length + value.length
      if (name.toString() !== unoffered) parts.push(name, value)
    }
    this.#answer(packet(types.version, ...parts))
    return false
  }
}
