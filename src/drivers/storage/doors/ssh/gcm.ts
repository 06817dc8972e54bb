/**
 * AES-GCM as SSH has it (RFC 5647, with the negotiation of OpenSSH), with the members by which the library of SSH uses its own.
 * A packet is its length, which is authenticated alone, then what is encrypted (the length of its padding, what is said, the
 * padding), then a tag. Packets pass through here by the ten thousands for a GB, so little is made anew for each: the key is
 * prepared once, and what is only needed until the next packet is written over by that.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomFillSync } from 'node:crypto'

const lengthBytes = 4
const tagBytes = 16
const blockBytes = 16
const leastPadding = 4

/** Longer packets are not taken. */
const mostOfGcmPacket = 35_000

export interface GcmKeys {
  /** The name of the cipher in OpenSSL. */
  readonly name: string
  readonly key: Buffer
  readonly nonce: Buffer
  /** The number of the next packet. */
  readonly number: number
}

const nextNumber = (number: number) => (number + 1) >>> 0

/** The last eight bytes of a nonce count packets; the others stay. */
function countUp(nonce: Buffer): void {
  for (let at = 11; at >= 4; at--) {
    nonce[at] = (nonce[at]! + 1) & 0xff
    if (nonce[at] !== 0) return
  }
}

/** Random bytes for paddings, as asking for a few takes as long as asking for many. */
const random = Buffer.alloc(8 * 1024)
let randomAt = random.length

function pad(packet: Buffer, from: number): void {
  const length = packet.length - from
  if (randomAt + length > random.length) {
    randomFillSync(random)
    randomAt = 0
  }
  random.copy(packet, from, randomAt, randomAt + length)
  randomAt += length
}

/** Where a packet is put together: each is encrypted before the next one is begun, whichever connection it is of. */
const draft = Buffer.alloc(64 * 1024)

export class GcmCipher {
  outSeqno: number
  readonly #name: 'aes-128-gcm'
  readonly #key: KeyObject
  readonly #nonce: Buffer
  readonly #write: (bytes: Buffer) => void
  #isFree = false

  constructor({ name, key, nonce, number }: GcmKeys, write: (bytes: Buffer) => void) {
    this.outSeqno = number
    this.#name = name as 'aes-128-gcm'
    this.#key = createSecretKey(key)
    this.#nonce = Buffer.from(nonce)
    this.#write = write
  }

  free(): void {
    this.#isFree = true
  }

  /** A packet for so many bytes, which belong at its sixth byte and beyond. It has to be encrypted before another is asked for. */
  allocPacket(length: number): Buffer {
    let padding = blockBytes - ((1 + length) % blockBytes)
    if (padding < leastPadding) padding += blockBytes
    const whole = lengthBytes + 1 + length + padding
    const packet = whole <= draft.length ? draft.subarray(0, whole) : Buffer.allocUnsafe(whole)
    packet.writeUInt32BE(whole - lengthBytes)
    packet[lengthBytes] = padding
    pad(packet, whole - padding)
    return packet
  }

  encrypt(packet: Buffer): void {
    if (this.#isFree) return
    const length = Buffer.from(packet.subarray(0, lengthBytes))
    const cipher = createCipheriv(this.#name, this.#key, this.#nonce).setAAD(length)
    const encrypted = cipher.update(packet.subarray(lengthBytes))
    cipher.final()
    this.#write(length)
    this.#write(encrypted)
    this.#write(cipher.getAuthTag())
    countUp(this.#nonce)
    this.outSeqno = nextNumber(this.outSeqno)
  }
}

/** What the library does with what a packet says: it may return where to go on, or false to go on with another cipher. */
type OnPayload = (payload: Buffer) => number | false | undefined

export class GcmDecipher {
  inSeqno: number
  /** The library replaces it while keys are exchanged. */
  _onPayload: OnPayload
  readonly #name: 'aes-128-gcm'
  readonly #key: KeyObject
  readonly #nonce: Buffer
  /** The beginning of a packet whose rest has not come yet. */
  #kept: Buffer = Buffer.alloc(0)
  #keptBytes = 0

  constructor({ name, key, nonce, number }: GcmKeys, onPayload: OnPayload) {
    this.inSeqno = number
    this._onPayload = onPayload
    this.#name = name as 'aes-128-gcm'
    this.#key = createSecretKey(key)
    this.#nonce = Buffer.from(nonce)
  }

  free(): void {
    this.#kept = Buffer.alloc(0)
  }

  /**
   * Takes bytes of a chunk from one place to another. Returns undefined when all were taken, and otherwise where somebody else
   * has to go on. Errors: when a packet is not what was sent.
   */
  decrypt(chunk: Buffer, from: number, end: number): number | undefined {
    let at = from
    while (at < end) {
      let packet: Buffer
      const length = this.#keptBytes === 0 ? wholeLength(chunk, at, end) : undefined
      if (length !== undefined && at + length <= end) {
        packet = chunk.subarray(at, at + length)
        at += length
      } else {
        at = this.#keep(chunk, at, end)
        if (!this.#isKeptWhole()) continue
        packet = this.#kept.subarray(0, this.#keptBytes)
        this.#keptBytes = 0
      }
      const result = this._onPayload(this.#open(packet))
      if (result !== undefined) return result === false ? at : result
    }
    return undefined
  }

  /** Keeps as much as belongs to the packet that has begun; returns where the next one begins. */
  #keep(chunk: Buffer, from: number, end: number): number {
    const needed = wholeLength(this.#kept, 0, this.#keptBytes) ?? lengthBytes
    if (needed > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(needed)
      this.#kept.copy(larger, 0, 0, this.#keptBytes)
      this.#kept = larger
    }
    const copied = chunk.copy(this.#kept, this.#keptBytes, from, Math.min(end, from + needed - this.#keptBytes))
    this.#keptBytes += copied
    return from + copied
  }

  #isKeptWhole(): boolean {
    return this.#keptBytes === wholeLength(this.#kept, 0, this.#keptBytes)
  }

  #open(packet: Buffer): Buffer {
    const end = packet.length - tagBytes
    const decipher = createDecipheriv(this.#name, this.#key, this.#nonce)
      .setAAD(packet.subarray(0, lengthBytes))
      .setAuthTag(packet.subarray(end))
    const opened = decipher.update(packet.subarray(lengthBytes, end))
    decipher.final()
    countUp(this.#nonce)
    this.inSeqno = nextNumber(this.inSeqno)
    const padding = opened[0]!
    if (padding < leastPadding || padding >= opened.length) throw new Error('Bad padding length')
    return opened.subarray(1, opened.length - padding)
  }
}

/** How long a packet is with its length and its tag; undefined when that is not there yet. Errors: when none is that long. */
function wholeLength(bytes: Buffer, from: number, end: number): number | undefined {
  if (end - from < lengthBytes) return undefined
  const length = bytes.readUInt32BE(from)
  const whole = lengthBytes + length + tagBytes
  if (length < blockBytes || length % blockBytes !== 0 || whole > mostOfGcmPacket) throw new Error('Bad packet length')
  return whole
}
