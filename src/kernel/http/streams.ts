/**
 * Streams of server-sent events. A stream costs nothing while nothing happens, but for a beat that tells proxies and
 * clients that it lives. It ends when its session does, when the client reads too slowly, and when the server stops; the
 * client then comes back by itself and says in `Last-Event-ID` what it got last.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Guard, type Principal, principalIn, refusalOf, type Sessions } from '../access/principal.ts'
import type { Role } from '../access/roles.ts'
import type { Endpoint } from '../contract/contract.ts'
import { ApiError, invalidInput } from '../errors.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import type { Logger } from '../process/log.ts'
import { doorOf } from './doors.ts'

/** One event; without a name it is a `message`. */
export interface StreamEvent {
  readonly id: string
  readonly name?: string
  readonly data: string
}

/** Somebody who listens to a stream. */
export interface Listening {
  readonly principal: Principal
  /** The id of the last event that the client got before; undefined for a client that begins. */
  readonly lastEventId: string | undefined
  /** How long ago, in milliseconds, such a client has read what it knows. */
  readonly awayMs: number
  send(event: StreamEvent): void
}

/** Where people with a session listen, as the path that follows the console's door to a Project. */
export interface StreamPath {
  readonly path: string
  /** Who may listen. */
  readonly needs: Role
  /** Starts sending; returns a function that stops it. */
  open(listening: Listening): Promise<() => void>
}

export interface StreamsOptions {
  readonly log: Logger
  readonly sessions?: Sessions
  /** Times in milliseconds. */
  readonly streams?: { readonly beatMs?: number } | undefined
}

/** Browsers open at most six connections to a server, which all tabs of one share. */
const mostPerSession = 6
const defaultBeatMs = 15_000
/** Sessions are checked several times a beat. */
const checksPerBeat = 5
/** Bytes that a client may be behind. */
const mostBehind = 262_144
/** How long a client waits before it comes back, in milliseconds. */
const retryMs = 1_000

interface Stream {
  readonly response: ServerResponse
  readonly headers: IncomingHttpHeaders
  readonly principal: Principal
  readonly awayMs: number
  readonly guard: Guard
  leave: (() => void) | undefined
}

export class Streams {
  readonly #options: StreamsOptions
  readonly #open = new Map<string, Set<Stream>>()
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #isClosing = false

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Lets people listen at a path. Refusals: `not_found` for programs, `rate_limit_exceeded`, `unavailable`. */
  mount(server: FastifyInstance, path: StreamPath): void {
    server.route({
      method: 'GET',
      url: path.path,
      config: { endpoint: guardOf(path) as Endpoint },
      handler: async (request, reply) => {
        const { principal, raw } = request
        // What a scoped token may see is not known of an event, so its session reads again and again instead.
        if (!principal || principal.limits || !doorOf(raw)) throw nothing()
        const awayMs = awayIn(request.query)
        this.#refuseSurplus(principal)
        reply.hijack()
        for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value as string)
        await this.#serve(path, {
          principal,
          awayMs,
          response: reply.raw,
          headers: raw.headers,
          guard: guardOf(path),
          leave: undefined,
        })
      },
    })
  }

  #refuseSurplus({ bucket }: Principal): void {
    if (this.#isClosing) throw new ApiError('unavailable', 'the server is stopping')
    if ((this.#open.get(bucket)?.size ?? 0) < mostPerSession) return
    throw new ApiError('rate_limit_exceeded', `a session may have at most ${mostPerSession} streams of events`)
  }

  /** Sends until either side ends it. */
  async #serve(path: StreamPath, stream: Stream): Promise<void> {
    const { response, headers, principal, awayMs } = stream
    const isGone = () => response.destroyed || response.writableEnded
    this.#add(stream)
    response.on('close', () => this.#remove(stream))
    response.on('error', () => response.destroy())
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.write(`retry: ${retryMs}\n\n`)
    const send = ({ id, name, data }: StreamEvent) => {
      if (isGone()) return
      response.write(`id: ${id}\n${name ? `event: ${name}\n` : ''}data: ${data}\n\n`)
      if (response.writableLength > mostBehind) response.destroy()
    }
    const given = headers['last-event-id']
    try {
      const lastEventId = typeof given === 'string' ? given : undefined
      const leave = await path.open({ principal, lastEventId, awayMs, send })
      if (isGone()) leave()
      else stream.leave = leave
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a stream of events could not begin')
      response.end()
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosing = true
    clearInterval(this.#timer)
    for (const streams of this.#open.values()) for (const { response } of streams) response.end()
  }

  #add(stream: Stream): void {
    const own = this.#open.get(stream.principal.bucket) ?? new Set()
    this.#open.set(stream.principal.bucket, own.add(stream))
    const { beatMs = defaultBeatMs } = this.#options.streams ?? {}
    this.#timer ??= onOwnBehalf(() => setInterval(() => this.#tick(), beatMs / checksPerBeat))
  }

  #remove(stream: Stream): void {
    const { bucket } = stream.principal
    const own = this.#open.get(bucket)
    own?.delete(stream)
    if (own?.size === 0) this.#open.delete(bucket)
    stream.leave?.()
    stream.leave = undefined
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    this.#ticks++
    const isBeat = this.#ticks % checksPerBeat === 0
    for (const streams of this.#open.values()) {
      for (const stream of streams) {
        if (isBeat) stream.response.write(': beat\n\n')
        void this.#check(stream)
      }
    }
  }

  async #check(stream: Stream): Promise<void> {
    try {
      if (!(await this.#mayStay(stream))) stream.response.end()
    } catch {
      // While the database is away nobody is sent anything new either.
    }
  }

  /** Whether the session still exists, with the right that the stream needs. */
  async #mayStay({ headers, principal, guard }: Stream): Promise<boolean> {
    const identity = await this.#options.sessions?.find(headers)
    if (identity?.bucket !== principal.bucket) return false
    return refusalOf(principalIn(identity, principal.scope?.projectId), guard, 0) === undefined
  }
}

function guardOf({ needs, path }: StreamPath): Guard {
  return { method: 'GET', path, needs }
}

/** Reads `away` of a query; clients that do not tell it know all that there is. Errors: `invalid_input`. */
function awayIn(query: unknown): number {
  const { away = '0' } = query as { readonly away?: unknown }
  if (typeof away === 'string' && /^\d{1,12}$/.test(away)) return Number(away)
  throw invalidInput([{ field: 'away', message: 'must be a number of milliseconds' }])
}

function nothing(): ApiError {
  return new ApiError('not_found', 'there is nothing at this path')
}
