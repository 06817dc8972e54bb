/**
 * The log (WAL) of a SQLite file. SQLite reads it up to the first invalid frame and silently ignores the rest. Usually
 * that is a commit that was torn by a crash and never confirmed, but after damage on the disk it contains confirmed
 * commits.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

const headerBytes = 32
const frameHeaderBytes = 24
const usualPageBytes = 4_096
/** Checksums use the machine's byte order, and the magic number of the log says which. */
const isLittle = endianness() === 'LE'
const magic = isLittle ? 0x377f0682 : 0x377f0683

/**
 * The minimum number of commits that the next process to open the database at `path` would lose: commits behind damage
 * in its log. The last commit does not count: a crash leaves it torn, and it was never confirmed. Nobody may have the
 * database open.
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
    // A frame left by an earlier use of the log has other salts.
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

/** The bytes are apart from those of others, and so begin where a word may. */
function readAt(file: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafeSlow(length)
  return readSync(file, bytes, 0, length, position) === length ? bytes : undefined
}

const noSum = Buffer.alloc(8)

/** SQLite's checksum of the log, which continues from frame to frame. */
function sum(before: Buffer, { buffer, byteOffset, length }: Buffer): Buffer {
  const words = new Uint32Array(buffer, byteOffset, length / 4)
  let [first, second] = [before.readUInt32BE(0), before.readUInt32BE(4)]
  for (let i = 0; i < words.length; i += 2) {
    first = (first + words[i]! + second) | 0
    second = (second + words[i + 1]! + first) | 0
  }
  const both = Buffer.alloc(8)
  both.writeUInt32BE(first >>> 0, 0)
  both.writeUInt32BE(second >>> 0, 4)
  return both
}
