/**
 * A part of the edge that is loaded and mounted with the first request for it, so that a server which nobody asks for it
 * starts as fast and stays as small as one without it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../data/db.ts'
import type { Logger } from '../../process/log.ts'
import { json } from '../api/replies.ts'
import { guardHeaders } from './browser-headers.ts'
import { correlationId, envelope } from './edge.ts'

interface LazyPartOptions {
  /** Whether a request is for this part; `url` is decodable and as the client sent it. */
  readonly isFor: (url: string) => boolean
  /** Makes the part, with everything mounted on it. */
  readonly build: () => Promise<FastifyInstance>
  readonly log: Logger
}

export class LazyPart {
  readonly #options: LazyPartOptions
  #building: Promise<FastifyInstance> | undefined
  #server: FastifyInstance | undefined

  constructor(options: LazyPartOptions) {
    this.#options = options
  }

  /** Takes the requests for this part; `others` gets the rest. */
  before(others: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#options.isFor(request.url ?? '/')) return others(request, response)
      if (this.#server) return this.#server.routing(request, response)
      this.open().then(
        (server) => server.routing(request, response),
        (error: unknown) => this.#fail(error, response),
      )
    }
  }

  /** The part with its routes. Errors: those of building it, which is tried again with the next request. */
  open(): Promise<FastifyInstance> {
    this.#building ??= this.#build().catch((error: unknown) => {
      this.#building = undefined
      throw error
    })
    return this.#building
  }

  async #build(): Promise<FastifyInstance> {
    const server = await this.#options.build()
    await server.ready()
    this.#server = server
    return server
  }

  #fail(error: unknown, response: ServerResponse<IncomingMessage>): void {
    const id = correlationId()
    this.#options.log.error({ id, err: error }, 'a part of the server could not be loaded')
    const headers = { ...guardHeaders, 'content-type': json, 'x-correlation-id': id }
    response.writeHead(503, headers).end(envelope(unavailable(error)))
  }

  async close(): Promise<void> {
    await (await this.#building?.catch(() => undefined))?.close()
  }
}
