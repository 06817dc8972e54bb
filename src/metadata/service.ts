/**
 * The metadata service: plain HTTP on a separate listener that only servers can reach. The driver identifies the caller
 * by the connection. A request that was forwarded by a proxy, or that names another host, is refused, because somebody
 * may have tricked a server into sending it (spec: Server metadata service).
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { datacenterOf } from '../families/datacenters/reads.ts'
import { interfacesOf } from '../families/networks/reads.ts'
import { primaryIpsOfServers } from '../families/primary-ips/reads.ts'
import { serverById } from '../families/servers/host.ts'
import type { ResourceRef } from '../kernel/actions/define.ts'
import { inEffect } from '../kernel/contract/changes.ts'
import type { Database } from '../kernel/data/db.ts'
import { type Limiter, localLimiter } from '../kernel/http/admission/rate-limit.ts'
import { guardHeaders } from '../kernel/http/server/browser-headers.ts'
import { createServer } from '../kernel/http/server/node-http.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { hostAndPort, type ListenAddress, listeningAt, listenOptions } from '../protocols/net/listen-address.ts'
import { metadataChanges } from './changes.ts'
import { documentAt, ec2DocumentAt, type ServerFacts } from './documents.ts'
import type { IdentifiedCaller, MetadataDriver } from './driver.ts'

export interface MetadataOptions {
  readonly db: Database
  readonly clock: Clock
  readonly catalogue: Catalogue
  readonly driver: MetadataDriver
  readonly log: Logger
  /** A further path under which the service answers, such as `/hetzner`. */
  readonly prefix: string
  /** Resolves when a server may be answered; undefined for at once. It may add headers to the answer. */
  readonly delay?: (of: ResourceRef, response: ServerResponse) => Promise<void> | undefined
}

/** Each server may send this many requests at once, and gets as many more over each such period. */
const requests = 200
const limitMs = 10_000

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

interface MetadataParts extends MetadataOptions {
  readonly limiter: Limiter
}

function buildMetadataService(given: MetadataOptions): Server {
  const options = { ...given, limiter: localLimiter(requests, undefined, limitMs) }
  return createServer({ requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 }, (request, response) => {
    answer(options, request, response)
      .then(({ status, text }) => send(response, status, text))
      .catch((error: unknown) => {
        options.log.error({ err: error }, 'metadata failed')
        send(response, 503, 'unavailable')
      })
  })
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...guardHeaders,
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 ? { allow: 'GET' } : {}),
    ...(status === 429 ? { 'retry-after': String(limitMs / 1_000) } : {}),
  })
  response.end(text)
}

interface TextAnswer {
  readonly status: number
  readonly text: string
}

const notFound: TextAnswer = { status: 404, text: 'not found' }
const tooMany: TextAnswer = { status: 429, text: 'too many requests' }

async function answer(options: MetadataParts, request: IncomingMessage, response: ServerResponse): Promise<TextAnswer> {
  const { clock, driver, prefix } = options
  if (forwarding.some((name) => request.headers[name] !== undefined)) return { status: 403, text: 'forwarded request' }
  const caller = driver.identify({
    remoteAddress: request.socket.remoteAddress ?? '',
    localAddress: request.socket.localAddress ?? '',
    path: (request.url ?? '/').split('?', 1)[0]!,
  })
  if (!namesThisListener(request, caller)) return { status: 403, text: 'wrong host' }
  if (request.method !== 'GET') return { status: 405, text: 'method not allowed' }
  if (caller && !(await options.limiter.take(String(caller.serverId))).admitted) return tooMany
  if (caller) await options.delay?.({ type: 'server', id: caller.serverId }, response)
  const facts = caller && (await factsOf(options, caller))
  if (!facts) return notFound
  const path = caller.path.startsWith(`${prefix}/`) ? caller.path.slice(prefix.length) : caller.path
  const ec2 = inEffect(metadataChanges.ec2_metadata_removed, clock.now())
    ? undefined
    : ec2DocumentAt(caller.path, facts)
  const text = documentAt(path, facts) ?? ec2
  if (text === undefined) return notFound
  // An empty document with 200 makes cloud-init ask again for two minutes.
  return { status: text === '' ? 204 : 200, text }
}

/** The Host header must be the address that was called: a name that resolves to it may be DNS rebinding. */
function namesThisListener({ headers, socket }: IncomingMessage, caller: IdentifiedCaller | undefined): boolean {
  const { localAddress = '', localPort } = socket
  const { calledAt } = caller ?? {}
  if (calledAt !== undefined) return headers.host === calledAt || headers.host === `${calledAt}:80`
  const address = localAddress.replace(/^::ffff:/, '')
  const literal = address.includes(':') ? `[${address}]` : address
  return headers.host === `${literal}:${localPort}` || (localPort === 80 && headers.host === literal)
}

async function factsOf(
  { db, catalogue }: MetadataOptions,
  { serverId, locations }: IdentifiedCaller,
): Promise<ServerFacts | undefined> {
  const found = await serverById(db.query, serverId)
  const location = found && catalogue.locationById(found.server.locationId)
  if (!found || !location || locations?.has(location.id) === false) return undefined
  const ips = await primaryIpsOfServers(db.query, found.scope, [serverId])
  const interfaces = await interfacesOf(db.query, found.scope, serverId)
  return {
    id: serverId,
    hostname: found.server.name,
    publicIpv4: ips.find((ip) => ip.type === 'ipv4')?.ip ?? null,
    availabilityZone: datacenterOf(location).name,
    region: location.network_zone,
    userData: found.server.userData,
    interfaces,
  }
}

/** A running metadata service. */
export interface MetadataService {
  /** The base URL without a path. */
  readonly url: string
  close(): Promise<void>
}

/** Starts the service; it answers once the promise resolves. Rejects with socket errors. */
export async function startMetadataService(options: MetadataOptions, at: ListenAddress): Promise<MetadataService> {
  const server = buildMetadataService(options)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenOptions(at), () => resolve())
  })
  return {
    url: `http://${hostAndPort(listeningAt(server, at))}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
