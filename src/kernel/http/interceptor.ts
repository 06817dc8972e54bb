/** A seam between requests and what carries them out, for those who test clients. */
import type { ServerResponse } from 'node:http'
import type { ApiCall, Endpoint } from '../contract/contract.ts'

/** A request on its way to what carries it out. */
export interface Passage {
  /** Undefined for one that listens to a stream of events. */
  readonly endpoint: Endpoint | undefined
  readonly call: Pick<ApiCall<Endpoint>, 'caller' | 'params' | 'body'> & { readonly scope: unknown }
  /** The correlation id. */
  readonly id: string
  readonly response: ServerResponse
  /** Adds a header to the answer. */
  header(name: string, value: string): void
}

/** Comes between requests and their handlers; `handle` carries a request out and returns what its handler returns. */
export type Interceptor = <Made>(passage: Passage, handle: () => Promise<Made>) => Promise<Made>
