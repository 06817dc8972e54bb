/** A seam between requests and what answers them, for those who test clients. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiCall, Endpoint } from '../contract/contract.ts'
import { ApiError } from '../errors.ts'
import type { AtOnce } from '../process/at-once.ts'

/** A request on its way to what answers it. */
export interface Passage {
  /** The endpoint, or the path of a stream of events or of WebSockets; undefined where there is nothing. */
  readonly asked: Endpoint | string | undefined
  readonly method: string
  /** The path by which it was routed. */
  readonly path: string
  /** True for one that is refused before its handler: who asks and what for may be unknown. */
  readonly isRefused: boolean
  /** Nobody in particular sends the requests of WebSockets. */
  readonly call: {
    readonly caller: ApiCall<Endpoint>['caller'] | undefined
    readonly scope: unknown
    readonly params: Readonly<Record<string, unknown>>
    readonly body: unknown
  }
  /** The correlation id. */
  readonly id: string
  /** The answer, or the connection of a WebSocket. */
  readonly response: ServerResponse | Socket
  /** Adds a header to the answer. */
  header(name: string, value: string): void
}

/**
 * Comes between requests and what answers them; `handle` carries a request out and returns what its handler returns, or
 * throws why it is refused. Every request passes it once, and at once where nothing is to happen to it.
 */
export type Interceptor = <Made>(passage: Passage, handle: () => AtOnce<Made>) => AtOnce<Made>

/** An answer that is put in the place of another one on purpose. */
export class InjectedError extends ApiError {
  /** The name of what wants it. */
  readonly by: string

  constructor(by: string, ...given: ConstructorParameters<typeof ApiError>) {
    super(...given)
    this.by = by
  }
}
