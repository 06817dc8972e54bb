/** The line that the log has of each request. */
import type { IncomingMessage } from 'node:http'
import type { Actor, Principal } from '../../access/principal.ts'
import type { Note } from '../../audit/note.ts'
import type { ApiError } from '../../errors.ts'
import { type CallerKind, channels } from '../../process/channels.ts'
import { type Logger, loggedAgent, loggedPath } from '../../process/log.ts'
import { tracer } from '../../process/tracing.ts'
import type { RouteConfig } from '../api/exchange.ts'
import { InjectedError } from '../interceptor.ts'
import { noteAnswer } from './traced.ts'

interface AnsweredRequest {
  readonly id: string
  readonly method: string
  readonly originalUrl: string
  readonly headers: { readonly 'user-agent'?: string | undefined }
  readonly ip: string
  readonly principal: Principal | undefined
  readonly note: Note | undefined
  readonly raw: IncomingMessage
  readonly routeOptions: {
    readonly url?: string | undefined
    readonly config?: Pick<RouteConfig, 'operation' | 'stream'>
  }
}

/** The part of a line that says who asked, which many requests have in common. */
interface CallerFields {
  readonly project: number | undefined
  readonly token_id: number | undefined
  readonly person_id: number | undefined
  readonly management_token_id: number | undefined
  readonly client: string | undefined
  readonly agent: string | undefined
}

/** A logger with that part, and what it was made of. */
interface CallerLog {
  readonly project: number | undefined
  readonly ip: string
  readonly agent: string | undefined
  readonly log: Logger
}

/** The actor of a request that nobody has been found for. */
const nobody = { kind: undefined, id: undefined }

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

function tell({ principal, routeOptions }: AnsweredRequest, status: number, elapsed: number): void {
  const { operation, stream } = routeOptions.config ?? {}
  // A stream lasts as long as somebody listens.
  const seconds = stream === undefined ? elapsed : undefined
  channels.request.publish({ operation, status, caller: callerKind(principal), seconds })
}

/** Writes the line of a request that was answered, and tells of it. */
export function requestLogger(log: Logger) {
  // None of these fields can hold a secret, and redaction takes longer than writing the line.
  const logOf = keptByCaller(log.child({}, { redact: [] }))
  return (
    answered: AnsweredRequest,
    { statusCode: status, elapsedTime }: { readonly statusCode: number; readonly elapsedTime: number },
  ): void => {
    if (channels.request.hasSubscribers) tell(answered, status, elapsedTime / 1_000)
    const { id, method, originalUrl, note } = answered
    const ms = Math.round(elapsedTime * 100) / 100
    // They are those of a transaction that was committed.
    const actions = note && note.started.length > 0 ? note.started : undefined
    const line = { id, method, path: loggedPath(originalUrl), status, ms, actions }
    logOf(answered).info(tracer ? { ...line, trace_id: traceIdOf(answered, actions) } : line)
  }
}

/** Keeps the newest logger of each caller, whose part of the line is written once for many of their requests. */
function keptByCaller(log: Logger): (answered: AnsweredRequest) => Logger {
  const all = new WeakMap<Actor, CallerLog>()
  return (answered) => {
    const { principal, ip, headers } = answered
    if (!principal) return log.child(fieldsOf(answered))
    const project = principal.scope?.projectId
    const agent = headers['user-agent']
    const kept = all.get(principal.actor)
    if (kept && kept.project === project && kept.ip === ip && kept.agent === agent) return kept.log
    const made = { project, ip, agent, log: log.child(fieldsOf(answered)) }
    all.set(principal.actor, made)
    return made.log
  }
}

function fieldsOf({ principal, ip, headers }: AnsweredRequest): CallerFields {
  const { kind, id } = principal?.actor ?? nobody
  return {
    project: principal?.scope?.projectId,
    token_id: kind === 'token' ? id : undefined,
    person_id: kind === 'person' ? id : undefined,
    management_token_id: kind === 'management' ? id : undefined,
    client: ip || undefined,
    agent: loggedAgent(headers['user-agent']),
  }
}

/** The id of the trace of a request, whose span is told what its line tells. */
function traceIdOf(answered: AnsweredRequest, actions: readonly number[] | undefined) {
  const { project, token_id, person_id, management_token_id } = fieldsOf(answered)
  return noteAnswer(answered.raw, answered.routeOptions.url, {
    'wolke.correlation_id': answered.id,
    'wolke.project.id': project,
    'wolke.token.id': token_id,
    'wolke.person.id': person_id,
    'wolke.management_token.id': management_token_id,
    'wolke.action.ids': actions,
  })
}
