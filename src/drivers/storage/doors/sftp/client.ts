/** A client of SFTP on two streams: many requests at once, each with its answer. */
import type { Readable, Writable } from 'node:stream'
import { Framing } from './framing.ts'
import { type MalformedPacket, PacketReader, packet, statusCodes, types, type Value } from './packets.ts'

/** The server refused something, with a code of `statusCodes`. */
export class SftpError extends Error {
  readonly code: number

  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

/** The server is gone, or says what no server says. */
export class SftpLost extends Error {}

export interface SftpReply {
  readonly type: number
  /** The body follows the id. */
  readonly body: PacketReader
}

interface Pending {
  resolve(reply: SftpReply): void
  reject(error: Error): void
}

const idBits = 0x7fff_ffff

export class SftpClient {
  readonly #to: Writable
  readonly #pending = new Map<number, Pending>()
  readonly #framing = new Framing(() => true)
  #nextId = 0
  #lost: SftpLost | undefined
  #onVersion: (() => void) | undefined

  constructor(from: Readable, to: Writable) {
    this.#to = to
    from.on('data', this.#take)
    from.resume()
    from.once('close', () => this.#lose('the file server has ended'))
    from.once('error', () => this.#lose('the file server cannot be heard'))
  }

  get isOpen(): boolean {
    return this.#lost === undefined
  }

  /** Begins the session. Errors: `SftpLost`. */
  init(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#pending.set(-1, { resolve: () => undefined, reject })
    this.#onVersion = () => {
      this.#pending.delete(-1)
      resolve()
    }
    this.#to.write(packet(types.init, 3))
    return promise
  }

  /** Lets others read what the server says from here on. Nothing may be waited for. */
  release(from: Readable): void {
    from.off('data', this.#take)
    from.pause()
  }

  /** Sends a request. Errors: `SftpError` when it is refused, `SftpLost`. */
  ask(type: number, ...values: readonly Value[]): Promise<SftpReply> {
    if (this.#lost) return Promise.reject(this.#lost)
    const id = this.#nextId
    this.#nextId = (id + 1) & idBits
    const { promise, resolve, reject } = Promise.withResolvers<SftpReply>()
    this.#pending.set(id, { resolve, reject })
    this.#to.write(packet(type, id, ...values))
    return promise
  }

  /** The same for a request that the server answers with a status alone. */
  async tell(type: number, ...values: readonly Value[]): Promise<void> {
    await this.ask(type, ...values)
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#framing.take(
        chunk,
        (head) => this.#settle(head),
        () => undefined,
      )
    } catch (error) {
      this.#lose((error as MalformedPacket).message)
    }
  }

  #settle(bytes: Buffer): false {
    const type = bytes[4]!
    if (type === types.version) {
      this.#onVersion?.()
      return false
    }
    const body = new PacketReader(bytes, 5)
    const id = body.uint32()
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    const code = type === types.status ? body.uint32() : statusCodes.ok
    if (code === statusCodes.ok) pending?.resolve({ type, body })
    else pending?.reject(new SftpError(code, body.text()))
    return false
  }

  #lose(words: string): void {
    this.#lost ??= new SftpLost(words)
    for (const { reject } of this.#pending.values()) reject(this.#lost)
    this.#pending.clear()
  }
}
