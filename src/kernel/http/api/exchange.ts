/** Requests with their answers, as those see them who watch an edge. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../contract/contract.ts'
import type { ApiError } from '../../errors.ts'

/** One request and its answer, just before it is sent. */
export interface Exchange {
  readonly endpoint: Endpoint | undefined
  readonly status: number
  readonly code: ApiError['code'] | undefined
  /** The value that the handler returned, before serialization. */
  readonly reply: unknown
  /** The JSON of the answer; undefined for one that has none. */
  readonly text: string | undefined
  readonly request: FastifyRequest
  readonly response: FastifyReply
}

/** Hears of every exchange; it keeps neither request nor response, which hold much more than they show. */
export type Observe = (exchange: Exchange) => void
