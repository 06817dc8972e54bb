/** The line that the log has of each request. */
import type { Principal } from '../../access/principal.ts'
import type { ApiError } from '../../errors.ts'
import { type CallerKind, channels } from '../../process/channels.ts'
import { type Logger, loggedAgent, loggedPath } from '../../process/log.ts'
import type { RouteConfig } from '../api/exchange.ts'
import { InjectedError } from '../interceptor.ts'

interface Answered {
  readonly id: string
  readonly method: string
  readonly originalUrl: string
  readonly headers: { readonly 'user-agent'?: string | undefined }
  readonly principal: Principal | undefined
  readonly routeOptions: { readonly config?: Pick<RouteConfig, 'operation' | 'stream'> }
}

/** Logs what failed as an error, and what fails on purpose as what it is; refusals need no line but that of their request. */
export function logFailure(log: Logger, id: string, refusal: ApiError, error: unknown = refusal): void {
  if (refusal instanceof InjectedError) log.info({ id, injected: refusal.by, status: refusal.status }, 'injected')
  else if (refusal.status >= 500) log.error({ id, err: error, cause: (error as Error).cause }, 'failed')
}

function callerKind(principal: Principal | undefined): CallerKind {
  if (!principal) return 'none'
  const { actor, isOperator } = principal
  return actor.kind === 'person' && isOperator ? 'admin' : actor.kind
}

/** Writes the line of a request that was answered, and tells of it. */
export function requestLogger(log: Logger) {
  // None of these fields can hold a secret, and redaction takes longer than writing the line.
  const requestLog = log.child({}, { redact: [] })
  return (
    { id, method, originalUrl, headers, principal, routeOptions }: Answered,
    { statusCode: status, elapsedTime }: { readonly statusCode: number; readonly elapsedTime: number },
  ): void => {
    if (channels.request.hasSubscribers) {
      const { operation, stream } = routeOptions.config ?? {}
      // A stream lasts as long as somebody listens.
      const seconds = stream === undefined ? elapsedTime / 1_000 : undefined
      channels.request.publish({ operation, status, caller: callerKind(principal), seconds })
    }
    const ms = Math.round(elapsedTime * 100) / 100
    const project = principal?.scope?.projectId
    const agent = loggedAgent(headers['user-agent'])
    requestLog.info({ id, method, path: loggedPath(originalUrl), status, ms, project, agent })
  }
}
