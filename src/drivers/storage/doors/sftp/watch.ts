/**
 * Watches a session between a client of SFTP and the file server, where nobody else counts what a box takes. Whatever makes
 * a file longer, or fills holes of it, is charged before the server gets it, and refused in words when there is no room. Bytes
 * pass as they are.
 */
import { isFull, type Ledger, quotaWords, spaceWords, take } from '../ledger.ts'
import { Framing } from './framing.ts'
import { making, openFlags, PacketReader, packet, refusal, statusCodes, types } from './packets.ts'

interface Handle {
  readonly bytes: Buffer
  /** The length of the file, as far as this session knows; undefined when the server has to say it before the next write. */
  size: number | undefined
  /** How many bytes of it may be holes, which take nothing until they are filled. */
  holes: number
  /** After how many measurements and changes of the box that was known, and when. */
  turn: number
  knownAt: number
  /** A write was refused: the file is not what its writer wanted, so its size and times are not set as if it were. */
  hasFailed: boolean
  /** Whatever is written goes to the end, wherever its writer says that it belongs. */
  readonly isAppending: boolean
}

export interface WatchedEnds {
  /** How many bytes of holes a file may have that the server has open. */
  holes(): number
  /** How many bytes the file system has left. */
  free(): number
  toServer(piece: Buffer): void
  toClient(piece: Buffer): void
}

/** Requests of the watch itself have ids that clients hardly reach; those of a client that does are refused. */
const ownIds = 0xffff_ff00

const wholeRequests: ReadonlySet<number> = new Set([types.open, types.setstat, types.fsetstat, types.extended])
const wholeReplies: ReadonlySet<number> = new Set([types.version, types.handle, types.attrs, types.status])
/** Requests after which a box may take less, or more, than what was written to it. */
const changing: ReadonlySet<number> = new Set([types.remove, types.rename, types.mkdir, types.rmdir, types.symlink])
/** An extension whose growth cannot be known before. */
const unoffered = 'copy-data'

/** Programs and other servers may shorten a file unseen, so what is known of it is good for so many milliseconds. */
const knownMs = 200
const strangeHandle = 'Failure: this handle was not given for writing'

interface Write {
  readonly handle: Handle
  readonly charged: number
}

type OpenMode = 'existing' | 'empty' | 'appending'

export class SftpWatch {
  readonly #ledger: Ledger
  readonly #ends: WatchedEnds
  readonly #requests = new Framing((type) => wholeRequests.has(type))
  readonly #replies = new Framing((type) => wholeReplies.has(type))
  readonly #handles = new Map<string, Handle>()
  /** Writes that are not answered yet, and opens of files to write. */
  readonly #writes = new Map<number, Write>()
  readonly #opens = new Map<number, OpenMode>()
  /** Requests that make something and are not answered yet. */
  readonly #makings = new Set<number>()
  /** The server was given this write last. */
  #lastWrite = -1
  /** These writes are refused when the server has answered another one. */
  #late: { readonly after: number; readonly id: number; readonly words: string }[] = []
  /** These requests change what a box takes, and are not answered yet. */
  readonly #changes = new Set<number>()
  /** The server is asked how long this file is; nothing else of the client passes meanwhile. */
  #asked: Handle | undefined
  /** It has just said that of this one, for the write that waits. */
  #told: Handle | undefined
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

  /** Hears that the server has ended: what it has not answered is not written any more. */
  end(): void {
    for (const { charged } of this.#writes.values()) this.#ledger.written(charged)
    this.#writes.clear()
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

  /** Undefined when the packet has to wait for an answer of the server. */
  #isAllowed(head: Buffer): boolean | undefined {
    const type = head[4]!
    if (type === types.init) return true
    const reader = new PacketReader(head, 5)
    const id = reader.uint32()
    if (id >= ownIds) return this.#refuse(id, statusCodes.failure, 'ids of requests are smaller than 4294967040')
    // An answer has to say which of them it is to.
    if (this.#opens.has(id) || this.#writes.has(id)) return this.#refuse(id, statusCodes.failure, 'this id is in use')
    if (making.has(type)) this.#makings.add(id)
    switch (type) {
      case types.write:
        return this.#isRoomToWrite(id, reader)
      case types.open:
        return this.#noteOpen(id, reader)
      case types.close:
        return this.#handles.delete(reader.bytes().toString('latin1')) ? this.#noteChange(id) : true
      case types.fsetstat:
        return this.#maySetHandle(id, reader)
      case types.setstat:
        reader.bytes()
        return reader.attributes().size === undefined || this.#noteChange(id)
      case types.extended:
        return this.#mayExtend(id, reader.text())
      default:
        return changing.has(type) ? this.#noteChange(id) : true
    }
  }

  /** Says that the box is about to change, and once more when it has: whoever counts meanwhile sees a part of it. */
  #noteChange(id: number): true {
    this.#changes.add(id)
    this.#ledger.changed()
    return true
  }

  #mayExtend(id: number, name: string): boolean {
    if (name === unoffered) return this.#refuse(id, statusCodes.unsupported, 'not offered')
    return name === 'posix-rename@openssh.com' ? this.#noteChange(id) : true
  }

  #isRoomToWrite(id: number, reader: PacketReader): boolean | undefined {
    const handle = this.#handles.get(reader.bytes().toString('latin1'))
    // Clients can guess handles before they are given, and nobody knows yet what such a write would add.
    if (!handle) return this.#refuseInTurn(id, strangeHandle)
    const [offset, length] = [reader.uint64(), reader.uint32()]
    const { size } = handle
    if (size === undefined || (!handle.isAppending && offset < size && this.#isOld(handle))) return this.#ask(handle)
    this.#told = undefined
    const start = handle.isAppending ? size : offset
    const end = start + length
    // Clients send ahead, and some believe the last answer: what follows a piece that was refused has no place.
    if (handle.hasFailed && start > size) return this.#refuseInTurn(id)
    const added = Math.min(length, Math.max(0, end - size))
    const filled = Math.min(length - added, handle.holes)
    if (!take(this.#ledger, added + filled)) {
      handle.hasFailed = true
      return this.#refuseInTurn(id)
    }
    handle.holes += Math.max(0, start - size) - filled
    handle.size = Math.max(size, end)
    this.#writes.set(id, { handle, charged: added + filled })
    this.#lastWrite = id
    return true
  }

  /** What is behind the end that is known is charged in any case; what is before it only when it may not be there any more. */
  #isOld(handle: Handle): boolean {
    if (this.#told === handle) return false
    return handle.turn !== this.#ledger.measured() || performance.now() - handle.knownAt > knownMs
  }

  /** Asks where the client's packet would begin, and so between two packets. */
  #ask(handle: Handle): undefined {
    this.#asked = handle
    this.#ends.toServer(packet(types.fstat, ownIds, handle.bytes))
  }

  /** A client that sends ahead may believe its last answer, so the one to a write comes after those to the writes before it. */
  #refuseInTurn(id: number, words = quotaWords): false {
    if (!this.#writes.has(this.#lastWrite)) return this.#refuse(id, statusCodes.failure, words)
    this.#late.push({ after: this.#lastWrite, id, words })
    return false
  }

  #refuseAfter(write: number): void {
    const due = this.#late.filter(({ after }) => after === write)
    this.#late = this.#late.filter(({ after }) => after !== write)
    for (const { id, words } of due) this.#refuse(id, statusCodes.failure, words)
  }

  #noteOpen(id: number, reader: PacketReader): boolean {
    reader.bytes()
    const flags = reader.uint32()
    // Even who only reads may make a file, or make it empty.
    if ((flags & ~openFlags.read) === 0) return true
    const isNew = (flags & openFlags.create) !== 0 && (flags & openFlags.exclusive) !== 0
    const opened = isNew || flags & openFlags.truncate ? 'empty' : 'existing'
    this.#opens.set(id, flags & openFlags.append ? 'appending' : opened)
    return this.#noteChange(id)
  }

  #maySetHandle(id: number, reader: PacketReader): boolean {
    const handle = this.#handles.get(reader.bytes().toString('latin1'))
    const { size } = reader.attributes()
    if (!handle) return size === undefined || this.#refuseInTurn(id, strangeHandle)
    if (handle.hasFailed) return this.#refuse(id)
    if (size === undefined) return true
    // The server may refuse it.
    handle.size = undefined
    return this.#noteChange(id)
  }

  #passesReply(head: Buffer): boolean {
    const type = head[4]!
    if (type === types.version) return this.#offerLess(head)
    const reader = new PacketReader(head, 5)
    const id = reader.uint32()
    if (id === ownIds) return this.#settle(type, reader)
    if (this.#changes.delete(id)) this.#ledger.changed()
    const isMaking = this.#makings.delete(id)
    if (type === types.handle) return this.#noteHandle(id, reader)
    return type !== types.status || this.#passesStatus(id, reader.uint32(), isMaking)
  }

  #passesStatus(id: number, code: number, isMaking: boolean): boolean {
    const write = this.#writes.get(id)
    this.#writes.delete(id)
    this.#opens.delete(id)
    if (write) {
      this.#ledger.written(write.charged)
      if (code !== statusCodes.ok) Object.assign(write.handle, { hasFailed: true, size: undefined })
    }
    // The server has no word for a full disk.
    const mayBeFull = code === statusCodes.failure && (write !== undefined || isMaking)
    const isPassed = !mayBeFull || !isFull(this.#ends.free()) || this.#refuse(id, code, spaceWords)
    if (write) this.#refuseAfter(id)
    return isPassed
  }

  #settle(type: number, reader: PacketReader): false {
    const handle = this.#asked
    this.#asked = undefined
    if (!handle) return false
    // Whatever is written to a file of no length is charged.
    handle.size = (type === types.attrs ? reader.attributes().size : undefined) ?? 0
    handle.holes = this.#ends.holes()
    handle.turn = this.#ledger.measured()
    handle.knownAt = performance.now()
    this.#told = handle
    return false
  }

  #noteHandle(id: number, reader: PacketReader): true {
    const opened = this.#opens.get(id)
    if (opened === undefined) return true
    this.#opens.delete(id)
    const bytes = Buffer.from(reader.bytes())
    const known = { turn: this.#ledger.measured(), knownAt: performance.now() }
    const size = opened === 'existing' ? undefined : 0
    const handle = { bytes, size, holes: 0, ...known, hasFailed: false, isAppending: opened === 'appending' }
    this.#handles.set(bytes.toString('latin1'), handle)
    return true
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
