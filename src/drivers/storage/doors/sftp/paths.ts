/**
 * Where programs cannot be confined, a file server sees all of the machine. Then the paths of its client are read on the way:
 * `/` is the home, and what leads out of it is refused. Each path is checked when all requests before it have been answered,
 * and the server gets it without links. Another session that replaces a directory by a link between the check and the use gets
 * past it, so nobody may make links: what is there already was there before the doors.
 */
import { lstat, realpath } from 'node:fs/promises'
import { PassThrough, type Readable, Writable } from 'node:stream'
import { partsOf } from '../../store/beneath.ts'
import { Framing } from './framing.ts'
import { PacketReader, packet, refusal, statusCodes, types } from './packets.ts'

/**
 * How requests use the paths that they begin with: what a link in the place leads to, the thing itself, or its name, which is
 * given or taken away.
 */
type Use = 'followed' | 'itself' | 'name'

const usesOf: ReadonlyMap<number | string, readonly Use[]> = new Map<number | string, readonly Use[]>([
  [types.open, ['followed']],
  [types.opendir, ['followed']],
  [types.stat, ['followed']],
  [types.setstat, ['followed']],
  [types.realpath, ['followed']],
  [types.lstat, ['itself']],
  [types.remove, ['name']],
  [types.mkdir, ['name']],
  [types.rmdir, ['name']],
  [types.readlink, ['itself']],
  [types.rename, ['name', 'name']],
  ['posix-rename@openssh.com', ['name', 'name']],
  // Some systems give the new name to what a link leads to.
  ['hardlink@openssh.com', ['followed', 'name']],
  ['statvfs@openssh.com', ['followed']],
  ['lsetstat@openssh.com', ['itself']],
])

/** Requests about what is open already, and about nothing. */
const harmless: ReadonlySet<number | string> = new Set<number | string>([
  ...[types.init, types.close, types.read, types.write, types.fstat, types.fsetstat, types.readdir],
  ...['fstatvfs@openssh.com', 'fsync@openssh.com', 'limits@openssh.com', 'copy-data'],
])

/** A request that its client is told to be refused, with a code of `statusCodes`. */
class RefusedPath extends Error {
  readonly code: number

  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

const isWithin = (path: string, home: string) => path === home || path.startsWith(`${home}/`)

/** Paths are bytes: as latin1 each is a letter, whatever they mean. */
const real = async (path: string) => (await realpath(Buffer.from(path, 'latin1'), 'buffer')).toString('latin1')

export class PathsWithin {
  /** What the client sends, and what it is answered. */
  readonly stdin: Writable
  readonly stdout = new PassThrough()
  readonly #home: string
  readonly #server: Writable
  readonly #requests = new Framing(() => true)
  readonly #replies = new Framing(() => true)
  /** Requests for real paths that are not answered yet. */
  readonly #realpaths = new Set<number>()
  #unanswered = 0
  /** Looks again at what `#take` waits for, which is one thing at a time. */
  #wake: (() => void) | undefined

  /** `home` is a real path. */
  constructor(home: string, server: { readonly stdin: Writable; readonly stdout: Readable }) {
    this.#home = Buffer.from(home).toString('latin1')
    this.#server = server.stdin
    this.stdin = new Writable({
      write: (chunk: Buffer, _, done) => {
        this.#take(chunk).then(() => done(), done)
      },
      final: (done) => {
        server.stdin.end()
        done()
      },
    })
    // Whoever reads the answers learns of the end.
    this.stdin.on('error', () => server.stdin.destroy())
    server.stdout.on('data', (chunk: Buffer) => {
      this.#answer(chunk)
      if (this.stdout.writableNeedDrain) server.stdout.pause()
    })
    this.stdout.on('drain', () => server.stdout.resume())
    server.stdin.on('drain', () => this.#wake?.())
    server.stdout.once('close', () => {
      this.stdout.end()
      this.#wake?.()
    })
  }

  async #take(chunk: Buffer): Promise<void> {
    const requests: Buffer[] = []
    cut(this.#requests, chunk, requests)
    for (const request of requests) await this.#pass(request)
    await this.#until(() => !this.#server.writableNeedDrain)
  }

  async #pass(request: Buffer): Promise<void> {
    const type = request[4]!
    const reader = new PacketReader(request, 5)
    const id = reader.uint32()
    const name = type === types.extended ? reader.text() : type
    if (harmless.has(name)) return this.#forward(request)
    const uses = usesOf.get(name)
    if (!uses) return this.#say(refusal(id, statusCodes.unsupported, 'this is not offered here'))
    try {
      await this.#until(() => this.#unanswered === 0)
      const paths: Buffer[] = []
      for (const use of uses)
        paths.push(Buffer.from(await this.#checked(reader.bytes().toString('latin1'), use), 'latin1'))
      if (type === types.realpath) this.#realpaths.add(id)
      const extension = typeof name === 'string' ? [name] : []
      this.#forward(withRest(packet(type, id, ...extension, ...paths), reader.rest()))
    } catch (error) {
      if (!(error instanceof RefusedPath)) throw error
      this.#say(refusal(id, error.code, error.message))
    }
  }

  /** The path on the machine. Errors: `RefusedPath`. */
  async #checked(asked: string, use: Use): Promise<string> {
    const parts = partsOf(asked)
    const name = parts.pop()
    if (name === undefined && use === 'name') throw new RefusedPath(statusCodes.failure, 'the home stays where it is')
    if (name === undefined) return this.#home
    const path = `${await this.#inside([this.#home, ...parts].join('/'))}/${name}`
    if (use !== 'followed') return path
    const isThere = await lstat(Buffer.from(path, 'latin1')).catch(() => undefined)
    // A link that leads to nothing would be followed to make something there.
    return isThere?.isSymbolicLink() ? await this.#inside(path) : path
  }

  async #inside(path: string): Promise<string> {
    const found = await real(path).catch((error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR'
      throw isMissing
        ? new RefusedPath(statusCodes.noSuchFile, 'No such file')
        : new RefusedPath(statusCodes.permissionDenied, 'Permission denied')
    })
    if (isWithin(found, this.#home)) return found
    throw new RefusedPath(statusCodes.permissionDenied, 'this leads out of the home')
  }

  #forward(request: Buffer): void {
    this.#unanswered++
    this.#server.write(request)
  }

  #say(reply: Buffer): void {
    this.stdout.write(reply)
  }

  #answer(chunk: Buffer): void {
    const replies: Buffer[] = []
    try {
      cut(this.#replies, chunk, replies)
    } catch {
      // Who says what no server says is not heard any more.
      this.#server.destroy()
    }
    for (const reply of replies) {
      this.#say(this.#translated(reply))
      this.#unanswered--
    }
    if (this.#unanswered === 0) this.#wake?.()
  }

  /** Real paths are said as the client sees them. */
  #translated(reply: Buffer): Buffer {
    const reader = new PacketReader(reply, 5)
    if (reply[4] === types.version) return reply
    const id = reader.uint32()
    if (!this.#realpaths.delete(id) || reply[4] !== types.name) return reply
    reader.uint32()
    const path = reader.bytes().toString('latin1')
    if (!isWithin(path, this.#home)) return refusal(id, statusCodes.permissionDenied, 'this leads out of the home')
    const shown = Buffer.from(path.slice(this.#home.length) || '/', 'latin1')
    reader.bytes()
    return withRest(packet(types.name, id, 1, shown, shown), reader.rest())
  }

  /** Resolves when something is so, and when the server has ended. */
  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.stdout.writableEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** Collects the packets that a chunk completes. Errors: `MalformedPacket`. */
function cut(framing: Framing, chunk: Buffer, into: Buffer[]): void {
  framing.take(
    chunk,
    (whole) => {
      into.push(whole)
      return false
    },
    () => undefined,
  )
}

/** A packet with more behind it. */
function withRest(head: Buffer, rest: Buffer): Buffer {
  const whole = Buffer.concat([head, rest])
  whole.writeUInt32BE(whole.length - 4, 0)
  return whole
}
