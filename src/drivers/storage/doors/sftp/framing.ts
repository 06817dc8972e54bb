/** Packets of SFTP are found in a stream; long ones pass in the pieces in which they came. */
import { MalformedPacket, mostOfPacket } from './packets.ts'

/** A packet is looked at up to here before it passes, its length included: a WRITE up to its data, and whole short ones. */
const headBytes = 4 + 1 + 4 + 4 + 256 + 8 + 4

/** Gets a head, which is all of a short packet. Returns whether the packet is passed on; undefined when it has to wait. */
export type OnHead = (head: Buffer, length: number) => boolean | undefined

/**
 * Cuts a stream into packets. `onHead` decides about each by what is there of it at first: at least `headBytes` or the whole
 * packet, when it `isWhole`; and `pass` gets all pieces of those that it lets through.
 */
export class Framing {
  readonly #isWhole: (type: number) => boolean
  #left = 0
  #isPassing = true
  #kept: Buffer = Buffer.alloc(0)

  /** `isWhole` says which types are needed as a whole. */
  constructor(isWhole: (type: number) => boolean) {
    this.#isWhole = isWhole
  }

  /** Tells whether the next byte to be passed on begins a packet: what is kept has not passed yet. */
  get isBoundary(): boolean {
    return this.#left === 0
  }

  /**
   * Takes bytes; returns those from a packet on that has to wait, which have to be given again before any others. Errors:
   * `MalformedPacket`.
   */
  take(chunk: Buffer, onHead: OnHead, pass: (piece: Buffer) => void): Buffer | undefined {
    let bytes = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk
    this.#kept = Buffer.alloc(0)
    while (bytes.length > 0) {
      if (this.#left > 0) {
        const piece = bytes.subarray(0, this.#left)
        this.#left -= piece.length
        if (this.#isPassing) pass(piece)
        bytes = bytes.subarray(piece.length)
        continue
      }
      const needed = this.#needed(bytes)
      if (bytes.length < needed) {
        this.#kept = bytes
        return undefined
      }
      const length = 4 + bytes.readUInt32BE(0)
      this.#left = length
      const passes = onHead(bytes.subarray(0, Math.min(length, bytes.length)), length)
      if (passes === undefined) {
        this.#left = 0
        return bytes
      }
      this.#isPassing = passes
    }
    return undefined
  }

  /** Returns how many bytes have to be there before it is decided about the packet that begins. */
  #needed(bytes: Buffer): number {
    if (bytes.length < 5) return 5
    const length = bytes.readUInt32BE(0)
    if (length < 1 || length > mostOfPacket) throw new MalformedPacket(`a packet of SFTP has ${length} bytes`)
    return 4 + (this.#isWhole(bytes[4]!) ? length : Math.min(length, headBytes))
  }
}
