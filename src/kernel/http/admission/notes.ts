/** The audit log learns here of requests that are to change something. */

import type { Principal } from '../../access/principal.ts'
import type { AuditLog } from '../../audit/log.ts'
import { Note, type Requested } from '../../audit/note.ts'
import { publicBase } from '../../contract/bases.ts'
import type { Endpoint } from '../../contract/contract.ts'
import { paramsIn } from '../../contract/path-params.ts'
import type { ApiError } from '../../errors.ts'
import { parseId } from '../../ids.ts'
import { clientNetwork } from '../../process/network.ts'

/** An endpoint in the words of the audit log. */
export interface Asked extends Pick<Requested, 'operation' | 'family' | 'status'> {
  /** Its path parameters in order; the Project is none. */
  readonly params: readonly string[]
}

/** Returns undefined for an endpoint that changes nothing. */
export function askedAt({ method, path, family = '', status }: Endpoint, base: string): Asked | undefined {
  if (method === 'GET') return undefined
  const params = paramsIn(path).filter((name) => name !== 'project_id')
  return { operation: operationAt({ method, path }, base), family, status, params }
}

/** Method and path of an endpoint with its parameters in braces; the root of the public API is left out. */
export function operationAt({ method, path }: Pick<Endpoint, 'method' | 'path'>, base: string): string {
  return `${method} ${base === publicBase ? '' : base}${path}`
}

/** The parts of a request that the log learns. */
interface Asking {
  readonly id: string
  readonly ip: string
  readonly principal: Principal | undefined
  readonly params: unknown
  readonly note: Note | undefined
}

function requested({ id, ip, params }: Asking, { actor, scope }: Principal, asked: Asked): Requested {
  const named = params as Record<string, string | undefined>
  return {
    actor,
    scope,
    operation: asked.operation,
    family: asked.family,
    subjects: asked.params.map((name) => toSubject(named[name] ?? '')),
    status: asked.status,
    correlationId: id,
    network: networkOf(ip),
  }
}

function toSubject(text: string): number | string {
  return parseId(text) ?? text
}

/** The networks of the callers that were here last. */
const networks = new Map<string, string>()
const mostNetworks = 1_000

function networkOf(ip: string): string {
  let network = networks.get(ip)
  if (network === undefined) {
    if (networks.size >= mostNetworks) networks.clear()
    network = clientNetwork(ip).slice('network:'.length)
    networks.set(ip, network)
  }
  return network
}

/** The note of a request that begins; undefined for one that changes nothing. */
export function noteOf(request: Asking, asked: Asked | undefined): Note | undefined {
  return asked && request.principal ? new Note(requested(request, request.principal, asked)) : undefined
}

/**
 * Tells the log of a refusal. Requests of unknown callers and those above a rate limit are not recorded: anybody could
 * fill the disk with them.
 */
export function noteRefusal(
  log: AuditLog | undefined,
  request: Asking,
  { code, status }: ApiError,
  asked: Asked | undefined,
): void {
  if (!log || !asked || !request.principal || code === 'rate_limit_exceeded') return
  const what = request.note?.requested ?? requested(request, request.principal, asked)
  log.refused(what, request.note, { code, status })
}
