/** Structured logs, one JSON object a line on standard error. What may be secret is removed by name before it is written. */
import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const secret = ['authorization', 'token', 'private_key', 'password', 'root_password', 'user_data']

/** A logger on standard error; lines are written in the background and flushed when the process ends. */
export function openLog(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secret.flatMap((name) => [name, `*.${name}`]), censor: '[removed]' },
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
