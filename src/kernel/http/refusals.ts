/** Answers requests that failed or were refused: all with one error envelope, including refusals of the framework. */
import type { FastifyInstance } from 'fastify'
import { askerOf } from '../access/principal.ts'
import { databaseFailure } from '../data/dialect.ts'
import type { ApiError } from '../errors.ts'
import { goneToken } from './admission/admission.ts'
import { refuseGone } from './admission/named-projects.ts'
import { noteRefusal } from './admission/notes.ts'
import { toRefusal } from './admission/refusal.ts'
import type { Incoming, Outgoing } from './api/exchange.ts'
import { json, sendJson } from './api/replies.ts'
import { intercepted } from './interception.ts'
import type { EdgeOptions } from './mounting.ts'
import { envelope } from './server/edge.ts'
import { logFailure } from './server/request-log.ts'

/** Lets an instance answer with its refusals, and log what failed. */
export function answerRefusals(server: FastifyInstance, options: EdgeOptions): void {
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply, options))
}

/** Answers a request that failed or was refused. */
export async function refuse(
  error: unknown,
  request: Incoming,
  reply: Outgoing,
  options: EdgeOptions,
): Promise<Outgoing> {
  const { id, endpoint, method } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const mostBytes = request.routeOptions.bodyLimit
  const own = (await refuseExile(request, options, error)) ?? toRefusal(error, { isRead, mostBytes })
  logFailure(options.log, id, own, error)
  const refusal = await intercepted(request, reply, own, options)
  if (refusal !== own) logFailure(options.log, id, refusal)
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
  noteRefusal(options.audit, request, refusal, request.routeOptions.config.asked)
  const text = envelope(refusal)
  const { status, code } = refusal
  options.observe?.({ endpoint, status, code, reply: undefined, text, request, response: reply })
  return sendJson(request, reply.code(status).type(json), text)
}

/** The refusal of a write whose Project was deleted meanwhile, or whose token was. */
async function refuseExile(
  request: Incoming,
  { authenticator, standing, query }: EdgeOptions,
  error: unknown,
): Promise<ApiError | undefined> {
  const { principal } = request
  if (databaseFailure(error)?.kind !== 'foreign_key') return undefined
  const token = principal?.actor.kind === 'token' ? askerOf(principal) : undefined
  if (!token || (await standing?.knows(token)) !== false) return refuseGone(principal, query)
  return goneToken(request, authenticator)
}
