/** Packets of SFTP version 3 (draft-ietf-secsh-filexfer-02): each is a length, a type, and mostly the id of its request. */

export const types = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const

/** Requests that make something, for which there may be no room. */
export const making: ReadonlySet<number> = new Set([types.open, types.mkdir, types.symlink])

export const statusCodes = { ok: 0, eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4, unsupported: 8 } as const

export const openFlags = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const

/** OpenSSH's server takes no longer packets. */
export const mostOfPacket = 256 * 1024

const attributeFlags = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x80000000 } as const

/** Attributes of a file: an undefined one was not said, or shall stay. Times are seconds since the epoch. */
export interface Attributes {
  readonly size?: number | undefined
  readonly mode?: number | undefined
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  readonly accessed?: number | undefined
  readonly modified?: number | undefined
}

export class MalformedPacket extends Error {}

/** Reads values one after the other. Errors: `MalformedPacket` beyond the end. */
export class PacketReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  #take(length: number): number {
    const at = this.#at
    if (length > this.#bytes.length - at) throw new MalformedPacket('a packet of SFTP ends too soon')
    this.#at += length
    return at
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  uint64(): number {
    return Number(this.#bytes.readBigUInt64BE(this.#take(8)))
  }

  bytes(): Buffer {
    const length = this.uint32()
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  text(): string {
    return this.bytes().toString('utf8')
  }

  /** All that was not read. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  attributes(): Attributes {
    const flags = this.uint32()
    const size = flags & attributeFlags.size ? this.uint64() : undefined
    const [uid, gid] = flags & attributeFlags.owner ? [this.uint32(), this.uint32()] : []
    const mode = flags & attributeFlags.mode ? this.uint32() : undefined
    const [accessed, modified] = flags & attributeFlags.times ? [this.uint32(), this.uint32()] : []
    if (flags & attributeFlags.extended) {
      for (let left = this.uint32(); left > 0; left--) {
        this.bytes()
        this.bytes()
      }
    }
    return { size, uid, gid, mode, accessed, modified }
  }
}

export type Value = number | bigint | string | Buffer | Attributes

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

function attributes({ size, uid, gid, mode, accessed, modified }: Attributes): Buffer {
  let flags = 0
  const parts: Buffer[] = []
  if (size !== undefined) {
    flags |= attributeFlags.size
    parts.push(uint64(BigInt(size)))
  }
  if (uid !== undefined && gid !== undefined) {
    flags |= attributeFlags.owner
    parts.push(uint32(uid), uint32(gid))
  }
  if (mode !== undefined) {
    flags |= attributeFlags.mode
    parts.push(uint32(mode))
  }
  if (accessed !== undefined && modified !== undefined) {
    flags |= attributeFlags.times
    parts.push(uint32(accessed), uint32(modified))
  }
  return Buffer.concat([uint32(flags), ...parts])
}

function encoded(value: Value): Buffer {
  if (typeof value === 'number') return uint32(value)
  if (typeof value === 'bigint') return uint64(value)
  if (typeof value === 'string' || Buffer.isBuffer(value)) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value
    return Buffer.concat([uint32(bytes.length), bytes])
  }
  return attributes(value)
}

/** A packet: numbers are 32 bits wide and bigints 64; texts and bytes have their length in front. */
export function packet(type: number, ...values: readonly Value[]): Buffer {
  const parts = values.map(encoded)
  const length = parts.reduce((sum, part) => sum + part.length, 1)
  return Buffer.concat([uint32(length), Buffer.from([type]), ...parts])
}

/** The answer that something failed, in words that most clients show. */
export function refusal(id: number, code: number, words: string): Buffer {
  return packet(types.status, id, code, words, 'en')
}
