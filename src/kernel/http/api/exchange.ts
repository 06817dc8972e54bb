/** Requests with their answers, as those see them who answer, and those who watch an edge. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Principal } from '../../access/principal.ts'
import type { Note } from '../../audit/note.ts'
import type { Endpoint } from '../../contract/contract.ts'
import type { ApiError } from '../../errors.ts'
import type { Asked } from '../admission/notes.ts'

/** What the edge knows of a route. */
export interface RouteConfig {
  readonly endpoint?: Endpoint
  readonly asked?: Asked | undefined
  /** The name that `operationAt` gives. */
  readonly operation?: string
  /** The path of a stream of events. */
  readonly stream?: string
  /** True when pages ask for it without anybody doing something. */
  readonly isBackground?: boolean
}

/** A request on its way to its answer, with the framework or without it. */
export interface Incoming {
  /** The correlation id. */
  readonly id: string
  /** The address of the caller, for whom a trusted proxy may ask. */
  readonly ip: string
  readonly protocol: string
  readonly method: string
  /** The URL by which it is routed. */
  readonly url: string
  /** The URL as it was sent. */
  readonly originalUrl: string
  readonly headers: IncomingHttpHeaders
  readonly params: unknown
  /** Parsed; undefined for a request without a body, or one that was refused before it was read. */
  readonly body: unknown
  readonly raw: IncomingMessage
  readonly routeOptions: { readonly url?: string | undefined; readonly bodyLimit: number; readonly config: RouteConfig }
  principal: Principal | undefined
  /** Set once it is carried out. */
  endpoint: Endpoint | undefined
  note: Note | undefined
  isIntercepted: boolean
}

/** An answer that is being made. Each function returns the answer itself. */
export interface Outgoing {
  readonly raw: ServerResponse
  readonly statusCode: number
  /** Since the request came, in milliseconds. */
  readonly elapsedTime: number
  code(status: number): Outgoing
  type(contentType: string): Outgoing
  header(name: string, value: string): Outgoing
  /** The header that it has by now. */
  getHeader(name: string): number | string | readonly string[] | undefined
  /** A body that comes bit by bit needs its length among the headers. */
  send(body?: string | Buffer | Readable): Outgoing
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
  readonly request: Pick<Incoming, 'id' | 'method' | 'originalUrl' | 'headers' | 'principal' | 'body' | 'routeOptions'>
  readonly response: Pick<Outgoing, 'elapsedTime' | 'getHeader' | 'raw'>
}

/** Hears of every exchange; it keeps neither request nor response, which hold much more than they show. */
export type Observe = (exchange: Exchange) => void
