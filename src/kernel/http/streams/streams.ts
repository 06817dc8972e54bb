/**
 * Streams of server-sent events. A stream costs nothing while nothing happens, but for a beat that tells proxies and
 * clients that it lives. It is an event, as browsers show no comments, and says within how many milliseconds the next
 * one comes. It ends when its session or the right to listen does, when the client reads too slowly, and when the server
 * stops; the client then comes back by itself and says in `Last-Event-ID` what it got last.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { askerOf, type Guard, type Principal } from '../../access/principal.ts'
import type { Role } from '../../access/roles.ts'
import type { Standing } from '../../access/standing.ts'
import type { Endpoint } from '../../contract/contract.ts'
import { ApiError, invalidInput } from '../../errors.ts'
import { onOwnBehalf } from '../../process/behalf.ts'
import type { Logger } from '../../process/log.ts'
import { type Share, Shares } from '../../process/shares.ts'
import { consoleCallOf } from '../admission/console-api.ts'
import { passageOf } from '../interception.ts'
import type { Interceptor } from '../interceptor.ts'

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
  /** The time since such a client last read, in milliseconds. */
  readonly awayMs: number
  send(event: StreamEvent): void
}

/** A stream for people with a session, at a path below a Project in the console's API. */
export interface StreamPath {
  readonly path: string
  readonly needs: Role
  /** Starts sending; returns a function that stops it. */
  open(listening: Listening): Promise<() => void>
}

export interface StreamsOptions {
  readonly log: Logger
  /** Asks again whether those who listen still may; without it nobody is asked. */
  readonly standing?: Standing
  /** Times in milliseconds. */
  readonly interceptor?: Interceptor
  readonly streams?: { readonly beatMs?: number } | undefined
}

/** Browsers open at most six connections to a server, which all tabs of one share. */
const mostPerSession = 6
const mostPerCaller = 30
const mostPerProject = 200
const mostStreams = 2_000
const defaultBeatMs = 6_000
/** Bytes that a client may be behind. */
const mostBehind = 262_144
/** The pause before a client comes back, in milliseconds. */
const retryMs = 1_000

interface Stream {
  readonly response: ServerResponse
  readonly principal: Principal
  readonly guard: Guard
  readonly lastEventId: string | undefined
  readonly awayMs: number
}

export class Streams {
  readonly #options: StreamsOptions
  readonly #open = new Set<ServerResponse>()
  readonly #shares = new Shares()
  #beats: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  get #beatMs(): number {
    return this.#options.streams?.beatMs ?? defaultBeatMs
  }

  get #beat(): string {
    return `event: beat\ndata: ${this.#beatMs}\n\n`
  }

  /** Lets people listen at a path. Refusals: `not_found` for programs, `rate_limit_exceeded`, `unavailable`. */
  mount(server: FastifyInstance, path: StreamPath): void {
    const guard = guardOf(path)
    server.route({
      method: 'GET',
      url: path.path,
      config: { endpoint: guard as Endpoint, stream: path.path, isBackground: true },
      handler: async (request, reply) => {
        const { principal, raw } = request
        // What a scoped token may see is not known of an event, so its session reads again and again instead.
        if (!principal || principal.limits || !consoleCallOf(raw)) throw nothing()
        const awayMs = awayIn(request.query)
        this.#refuseSurplus(principal)
        const response = reply.raw
        const serve = () => {
          reply.hijack()
          for (const [name, value] of Object.entries(reply.getHeaders())) response.setHeader(name, value as string)
          const given = raw.headers['last-event-id']
          const lastEventId = typeof given === 'string' ? given : undefined
          return this.#serve(path, { response, principal, guard, lastEventId, awayMs })
        }
        const { interceptor } = this.#options
        if (!interceptor) return serve()
        const call = { caller: principal, scope: principal.scope, params: {}, body: undefined }
        await interceptor(passageOf(request, reply, call), serve)
      },
    })
  }

  #refuseSurplus(principal: Principal): void {
    if (this.#isClosing) throw new ApiError('unavailable', 'the server is stopping')
    const full = this.#shares.full(sharesOf(principal))
    if (full)
      throw new ApiError('rate_limit_exceeded', `${full.of} cannot have more than ${full.most} streams of events`)
  }

  /** Sends until either side ends it. */
  async #serve(path: StreamPath, stream: Stream): Promise<void> {
    const { response, principal, lastEventId, awayMs } = stream
    const isGone = () => response.destroyed || response.writableEnded
    this.#keep(stream)
    response.on('error', () => response.destroy())
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.write(`retry: ${retryMs}\n\n${this.#beat}`)
    const send = ({ id, name, data }: StreamEvent) => {
      if (isGone()) return
      response.write(`id: ${id}\n${name ? `event: ${name}\n` : ''}data: ${data}\n\n`)
      if (response.writableLength > mostBehind) response.destroy()
    }
    try {
      const leave = await path.open({ principal, lastEventId, awayMs, send })
      if (isGone()) leave()
      else response.on('close', leave)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a stream of events could not begin')
      response.end()
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosing = true
    clearInterval(this.#beats)
    for (const response of this.#open) response.end()
  }

  /** Counts a stream until it is closed, and ends it when the right to listen does. */
  #keep({ response, principal, guard }: Stream): void {
    const giveBack = this.#shares.take(sharesOf(principal))
    const claim = { asker: askerOf(principal), projectId: principal.scope!.projectId, guard }
    const unwatch = this.#options.standing?.watch(claim, () => void response.end())
    this.#open.add(response)
    response.on('close', () => {
      giveBack()
      unwatch?.()
      this.#open.delete(response)
      if (this.#open.size > 0) return
      clearInterval(this.#beats)
      this.#beats = undefined
    })
    this.#beats ??= onOwnBehalf(() => setInterval(() => this.#sayAlive(), this.#beatMs))
  }

  #sayAlive(): void {
    for (const response of this.#open) response.write(this.#beat)
  }
}

/** Returns the limits that a stream counts against; the edge lets nobody in without a Project. */
function sharesOf({ actor, session, scope }: Principal): Share[] {
  return [
    { of: `session ${session}`, most: mostPerSession },
    { of: `${actor.kind} ${actor.id}`, most: mostPerCaller },
    { of: `Project ${scope!.projectId}`, most: mostPerProject },
    { of: 'this process', most: mostStreams },
  ]
}

function guardOf({ needs }: StreamPath): Guard {
  return { method: 'GET', needs }
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
