/** Requests with their answers, as those see them who watch an edge. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../../access/principal.ts'
import type { Endpoint } from '../../contract/contract.ts'
import type { ApiError } from '../../errors.ts'

interface ReceivedRequest {
  /** The correlation id. */
  readonly id: string
  readonly method: string
  readonly originalUrl: string
  readonly headers: IncomingHttpHeaders
  readonly principal: Principal | undefined
  /** Parsed; undefined for a request without a body, or one that was refused before it was read. */
  readonly body: unknown
  readonly routeOptions: { readonly config: { readonly endpoint?: Endpoint } }
}

/** One request and its answer, just before it is sent. */
export interface Exchange {
  readonly endpoint: Endpoint | undefined
  readonly status: number
  readonly code: ApiError['code'] | undefined
  /** The value that the handler returned, before serialization. */
  readonly reply: unknown
  /** The JSON of the answer; undefined for one that has none. */
  readonly text: string | undefined
  readonly request: ReceivedRequest
  /** Since the request came, in milliseconds. */
  readonly response: { readonly elapsedTime: number }
}

/** Hears of every exchange; it keeps neither request nor response, which hold much more than they show. */
export type Observe = (exchange: Exchange) => void
