/** Structured logs, one JSON object per line on standard error. Fields that may hold secrets are redacted by name. */
import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'
import { isTrouble } from '../data/dialect.ts'

export type { Logger } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const secret = ['authorization', 'token', 'private_key', 'password', 'root_password', 'user_data']
/** Longer segments of a path or words of a User-Agent may be a token, key or password put there by mistake; names and ids are shorter. */
const longestSegment = 48

/**
 * The time for which a line may wait to be written with others, in milliseconds, and the most characters that may wait.
 */
const gatherMs = 20
const gatherLength = 16_384

/** A logger that writes to standard error, or to `destination`, in the background and flushes when the process ends. */
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
 * Batches lines, because every background write costs more than formatting a line. pino's own batching (`minLength`)
 * retries forever at exit when nobody reads standard error any more, so the process would never end.
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
      // The reader is gone or too slow, and this process has no time left.
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

/** The timestamp in pino's format; many lines share a millisecond. */
function timeField(): string {
  const now = Date.now()
  if (now !== timedAt) timed = `,"time":"${new Date(now).toISOString()}"`
  timedAt = now
  return timed
}

/**
 * Logs only what identifies the fault, because database errors also carry row values. Database trouble occurs often and
 * anywhere, so its stack trace says nothing.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  const { name, message, stack, code } = error as Error & { code?: unknown }
  if (isTrouble(error) || isTrouble(error.cause)) return { name, message, code }
  return { name, message, stack, code }
}

/** The path of a request in printable characters, without its query and without possible secrets. */
export function loggedPath(url: string): string {
  const mark = url.indexOf('?')
  return withoutSecrets(mark === -1 ? url : url.slice(0, mark), '/')
}

/** A User-Agent as it may be logged. */
export function loggedAgent(agent: string | undefined): string | undefined {
  return agent === undefined ? undefined : withoutSecrets(agent, ' ')
}

function withoutSecrets(text: string, separator: string): string {
  if (text.length <= longestSegment && /^[\x20-\x7e]*$/.test(text)) return text
  return text
    .slice(0, 2_000)
    .split(separator)
    .map((part) => (part.length > longestSegment ? '[removed]' : part.replace(/[^\x20-\x7e]/g, '?')))
    .join(separator)
}
