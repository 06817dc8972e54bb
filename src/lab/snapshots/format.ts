/**
 * The form of a snapshot in a file: a line with the number of the form and a checksum of all that follows, a line that says
 * what it is, and the packed bytes of the database and of the infrastructure.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { latestMs, parseInstant } from '../../kernel/contract/instants.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { keyBytes } from '../../kernel/secrets/kek.ts'
import { type ClockMode, clockModes } from '../clock.ts'

/** A file holds these. */
export interface Snapshotted {
  /** The version of Wolke that wrote it. */
  readonly wolke: string
  /** The last change of the schema, for people who look into the file: the database itself says what it has. */
  readonly schema: string
  readonly nowMs: number
  readonly mode: ClockMode
  /** The key that opens the secrets in the database. */
  readonly key: Buffer
  readonly image: Uint8Array
  readonly infrastructure: Readonly<Record<string, unknown>>
}

/** A file is refused. The message goes on from the name of the file, such as `is damaged`. */
export class BadSnapshot extends Error {}

const magic = 'wolke-snapshot'
/** Raised whenever a program that knows only the one before could not read a file. */
const form = 1
/** The most bytes that a file unpacks to. */
const mostBytes = 512 * 1024 * 1024
const longestLine = 4_096
const lineFeed = 10
/** The first bytes of a database. */
const sqlite = 'SQLite format 3\0'

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)]

export async function writeSnapshot(given: Snapshotted): Promise<Buffer> {
  const { wolke, schema, nowMs, mode, key, image } = given
  const infrastructure = Buffer.from(JSON.stringify(given.infrastructure))
  const about = {
    wolke,
    schema,
    now: timestamp(nowMs),
    ms: nowMs,
    mode,
    key: key.toString('base64'),
    image: image.length,
  }
  const body = await packed(Buffer.concat([image, infrastructure]), { level: 6 })
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), body])
  return Buffer.concat([Buffer.from(`${magic} ${form} ${checksum(rest)}\n`), rest])
}

/** Errors: `BadSnapshot`. */
export async function readSnapshot(file: Buffer): Promise<Snapshotted> {
  const [first, rest] = lineOf(file)
  const [, number, sum] = new RegExp(`^${magic} (\\d{1,6}) ([0-9a-f]{64})$`).exec(first) ?? []
  if (number === undefined) throw new BadSnapshot('is not a snapshot of Wolke')
  if (Number(number) !== form)
    throw new BadSnapshot(`has the form ${number}, which this version of Wolke does not know; use a newer version`)
  if (checksum(rest) !== sum) throw new BadSnapshot('is damaged: its checksum is not that of its content')
  const [second, body] = lineOf(rest)
  const about = aboutIn(second)
  const content = await unpacked(body, { maxOutputLength: mostBytes }).catch((cause: unknown) => {
    throw new BadSnapshot('cannot be unpacked', { cause })
  })
  const { imageBytes, ...others } = about
  if (imageBytes > content.length) throw new BadSnapshot('has less of a database than it says')
  const image = content.subarray(0, imageBytes)
  if (image.toString('latin1', 0, sqlite.length) !== sqlite) throw new BadSnapshot('has no database of SQLite')
  return { ...others, image, infrastructure: objectIn(content.subarray(imageBytes).toString(), 'an infrastructure') }
}

const checksum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The first line, and what comes after it; an empty line where there is none. */
function lineOf(bytes: Buffer): [line: string, rest: Buffer] {
  const end = bytes.subarray(0, longestLine).indexOf(lineFeed)
  return end === -1 ? ['', bytes] : [bytes.toString('latin1', 0, end), bytes.subarray(end + 1)]
}

interface About extends Pick<Snapshotted, 'wolke' | 'schema' | 'nowMs' | 'mode' | 'key'> {
  readonly imageBytes: number
}

function aboutIn(line: string): About {
  const { wolke, schema, now, ms, mode, key, image } = objectIn(line, 'a description')
  const known = clockModes.find((one) => one === mode)
  const start = parseInstant(String(now))
  const bytes = Buffer.from(String(key), 'base64')
  const isTime = Number.isSafeInteger(ms) && start !== undefined && Math.floor((ms as number) / 1_000) * 1_000 === start
  if (!isTime || start > latestMs) throw new BadSnapshot('has no valid time')
  if (!known) throw new BadSnapshot(`has a clock that is none of ${clockModes.join(', ')}`)
  if (bytes.length !== keyBytes) throw new BadSnapshot('has no valid key')
  if (!Number.isSafeInteger(image) || (image as number) < 0) throw new BadSnapshot('has no valid size of its database')
  const texts = { wolke: String(wolke), schema: String(schema) }
  return { ...texts, nowMs: ms as number, mode: known, key: bytes, imageBytes: image as number }
}

function objectIn(text: string, what: string): Record<string, unknown> {
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new BadSnapshot(`has no valid JSON of ${what}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BadSnapshot('has no valid JSON', { cause })
  }
}
