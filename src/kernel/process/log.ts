/** Structured logs, one JSON object a line on standard error. What may be secret is removed by name before it is written. */
import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import { isTrouble } from '../data/dialect.ts'

export type { Logger } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const secret = ['authorization', 'token', 'private_key', 'password', 'root_password', 'user_data']
/** No name or id in a path is as long as a token, a key or a password that somebody put there by mistake. */
const longestSegment = 48

/** How long a line may wait for others to be written together with it, in milliseconds, and how much they may become. */
const gatherMs = 20
const gatherLength = 16_384

/**
 * A logger on standard error, or on `destination`; lines are written in the background and flushed when the process
 * ends.
 */
export function openLog(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: timeField,
      redact: { paths: secret.flatMap((name) => [name, `*.${name}`]), censor: '[removed]' },
      serializers: { err: describeError, cause: describeError },
    },
    destination,
  )
}

type Flushable = DestinationStream & { flush(done?: () => void): void }

let opened: Flushable | undefined

function standardError(): Flushable {
  opened ??= openStandardError()
  return opened
}

/**
 * Hands lines on together, because every write in the background costs more than making the line. What pino's destination
 * would gather itself (`minLength`) it writes at exit without end when nobody reads standard error any more, so that the
 * process never ends.
 */
function openStandardError(): Flushable {
  const stream = pino.destination({ fd: 2, sync: false })
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const take = () => {
    clearTimeout(timer)
    timer = undefined
    const text = gathered
    gathered = ''
    return text
  }
  const hand = () => {
    if (gathered) stream.write(take())
  }
  process.on('exit', () => {
    try {
      if (gathered) writeSync(2, take())
    } catch {
      // Whoever reads is gone or too slow, and this process has no time left.
    }
  })
  return {
    write(line) {
      gathered += line
      if (gathered.length > gatherLength) hand()
      else timer ??= setTimeout(hand, gatherMs).unref()
    },
    flush(done) {
      hand()
      stream.flush(done)
    },
  }
}

let timedAt = 0
let timed = ''

/** The time as pino puts it into a line; many lines share a millisecond. */
function timeField(): string {
  const now = Date.now()
  if (now !== timedAt) timed = `,"time":"${new Date(now).toISOString()}"`
  timedAt = now
  return timed
}

/**
 * Only what names the fault: database errors also carry the values of rows. Trouble with the database comes many times and
 * from anywhere: where this program stood says nothing about it.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  const { name, message, stack, code } = error as Error & { code?: unknown }
  if (isTrouble(error) || isTrouble(error.cause)) return { name, message, code }
  return { name, message, stack, code }
}

/** A request's path in printable characters, without its query and without what may be a secret. */
export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0]!
  if (path.length <= longestSegment && /^[\x21-\x7e]*$/.test(path)) return path
  return path
    .slice(0, 2_000)
    .split('/')
    .map((part) => (part.length > longestSegment ? '[removed]' : part.replace(/[^\x21-\x7e]/g, '?')))
    .join('/')
}
