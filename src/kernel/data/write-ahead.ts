/**
 * The log beside a SQLite file. SQLite takes it up to the first frame that does not fit to those before it, and says nothing
 * of what lies behind: mostly the end of a commit that nobody was told of, but on a disk that has damaged the log it is
 * what was answered.
 */
import { closeSync, openSync, readSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24
const usualPageBytes = 4_096
/** The last bit tells in which order the bytes of the words lie that are summed up. */
const magic = 0x377f0682

/**
 * How many commits the next one who opens the database at `path` would not find, although they had reached the disk. One
 * alone may not have: it is as it was if the machine went down in it. Nobody may have the database open.
 */
export function lostCommits(path: string): number {
  let file: number
  try {
    file = openSync(`${path}-wal`, 'r')
  } catch {
    return 0
  }
  try {
    const lost = countLost(file)
    return lost > 1 ? lost : 0
  } finally {
    closeSync(file)
  }
}

function countLost(file: number): number {
  const header = readAt(file, 0, headerBytes)
  if (!header) return 0
  const sum = new Sum(header.readUInt32BE(0) === magic)
  sum.add(header.subarray(0, 24))
  const isWhole = header.readUInt32BE(0) >>> 1 === magic >>> 1 && sum.isAt(header, 24)
  const frameBytes = frameHeaderBytes + (isWhole ? header.readUInt32BE(8) : usualPageBytes)
  let lost = 0
  let isBroken = !isWhole
  for (let at = headerBytes; ; at += frameBytes) {
    const frame = readAt(file, at, frameBytes)
    if (!frame) return lost
    // What was left by an earlier round of the log bears other marks.
    const isOfRound = !isWhole || frame.subarray(8, 16).equals(header.subarray(16, 24))
    isBroken ||= !isOfRound || !sum.add(frame.subarray(0, 8)).add(frame.subarray(frameHeaderBytes)).isAt(frame, 16)
    if (isBroken && isOfRound && frame.readUInt32BE(4) !== 0) lost++
  }
}

function readAt(file: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length)
  return readSync(file, bytes, 0, length, position) === length ? bytes : undefined
}

/** SQLite's checksum of a log, which goes on from frame to frame. */
class Sum {
  readonly #isLittle: boolean
  #first = 0
  #second = 0

  constructor(isLittle: boolean) {
    this.#isLittle = isLittle
  }

  add({ buffer, byteOffset, length }: Buffer): this {
    const words = new DataView(buffer, byteOffset, length)
    for (let i = 0; i < length; i += 8) {
      this.#first = (this.#first + words.getUint32(i, this.#isLittle) + this.#second) >>> 0
      this.#second = (this.#second + words.getUint32(i + 4, this.#isLittle) + this.#first) >>> 0
    }
    return this
  }

  /** Whether it is what was written down there. */
  isAt(bytes: Buffer, position: number): boolean {
    return bytes.readUInt32BE(position) === this.#first && bytes.readUInt32BE(position + 4) === this.#second
  }
}
