/**
 * The log beside a SQLite file. SQLite takes it up to the first frame that does not fit to those before it, and says nothing
 * of what lies behind: mostly the end of a commit that nobody was told of, but on a disk that has damaged the log it is
 * what was answered.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

const headerBytes = 32
const frameHeaderBytes = 24
const usualPageBytes = 4_096
/** Checksums are made of words as the machine has them, and the log begins with what tells which. */
const isLittle = endianness() === 'LE'
const magic = isLittle ? 0x377f0682 : 0x377f0683

/**
 * How many commits the next one who opens the database at `path` does not find, at least: those behind a damage of its log
 * that others follow. The last one does not count: a machine that goes down in it leaves it torn, and nobody was told of it.
 * Nobody may have the database open.
 */
export function lostCommits(path: string): number {
  let file: number
  try {
    file = openSync(`${path}-wal`, 'r')
  } catch {
    return 0
  }
  try {
    return countLost(file)
  } finally {
    closeSync(file)
  }
}

function countLost(file: number): number {
  const header = readAt(file, 0, headerBytes)
  if (!header) return 0
  const isWhole = header.readUInt32BE(0) === magic && header.subarray(24).equals(sum(noSum, header.subarray(0, 24)))
  const frameBytes = frameHeaderBytes + (isWhole ? header.readUInt32BE(8) : usualPageBytes)
  let [lost, isDamaged, isAfterCommit] = [0, !isWhole, false]
  let before = header.subarray(24)
  for (let at = headerBytes; ; at += frameBytes) {
    const frame = readAt(file, at, frameBytes)
    if (!frame) return lost
    // What was left by an earlier round of the log bears other marks.
    const isOfRound = !isWhole || frame.subarray(8, 16).equals(header.subarray(16, 24))
    const fits =
      isOfRound &&
      frame.subarray(16, 24).equals(sum(sum(before, frame.subarray(0, 8)), frame.subarray(frameHeaderBytes)))
    const isCommit = isOfRound && frame.readUInt32BE(4) !== 0
    if (isDamaged && isAfterCommit && fits && isCommit) lost++
    isDamaged ||= !fits
    isAfterCommit = isDamaged && (isCommit || (fits && isAfterCommit))
    before = frame.subarray(16, 24)
  }
}

function readAt(file: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length)
  return readSync(file, bytes, 0, length, position) === length ? bytes : undefined
}

const noSum = Buffer.alloc(8)

/** SQLite's checksum of a log, which goes on from frame to frame. */
function sum(before: Buffer, { buffer, byteOffset, length }: Buffer): Buffer {
  const words = new DataView(buffer, byteOffset, length)
  let [first, second] = [before.readUInt32BE(0), before.readUInt32BE(4)]
  for (let i = 0; i < length; i += 8) {
    first = (first + words.getUint32(i, isLittle) + second) >>> 0
    second = (second + words.getUint32(i + 4, isLittle) + first) >>> 0
  }
  const both = Buffer.alloc(8)
  both.writeUInt32BE(first, 0)
  both.writeUInt32BE(second, 4)
  return both
}
