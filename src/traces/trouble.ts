/** Says in the log what keeps spans from a collector: once, and then once in a while. */
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import type { Logger } from '../kernel/process/log.ts'

/** The time between two warnings, in milliseconds. */
const everyMs = 60_000

/** Logs what the library reports. The texts of a collector are cut, and its bodies left out. */
export function warnOf(log: Logger, collector: string): void {
  let warnedAt = Number.NEGATIVE_INFINITY
  let times = 0
  const warn = (reason: string) => {
    times++
    if (performance.now() - warnedAt < everyMs) return
    log.warn({ collector, reason: reason.slice(0, 200), times }, 'spans could not be handed to the collector')
    warnedAt = performance.now()
    times = 0
  }
  setGlobalErrorHandler((error) => warn(typeof error === 'string' ? error : `${error.name}: ${error.message}`))
  const ignore = () => undefined
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
