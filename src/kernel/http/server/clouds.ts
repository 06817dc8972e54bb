/**
 * Several clouds behind one edge: each answers at a seat, which is an address of its own, with data and a time of its own,
 * and another one can take its seat. They share what the edge is made of, such as its routes and what checks bodies, which
 * takes more memory and time than all else. The cloud that the edge was built with costs nothing of this as long as it
 * keeps its seat; the seat that a request is for is known by the connection, which was accepted in its context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Running } from './running.ts'

/** A cloud as an edge sees it. */
interface Seated<Parts extends object> {
  readonly parts: Parts
  /** Its handlers, by what is asked: an endpoint, or the path of a page. */
  readonly answers: ReadonlyMap<unknown, unknown>
}

/** An address at which clouds answer. */
export class Seat<Parts extends object> {
  /** Undefined for the cloud that the edge was built with. */
  taken: Seated<Parts> | undefined
  /** Requests wait for it while clouds change. */
  gate: Promise<void> | undefined
  /** The requests that are being answered. */
  readonly open = new Map<ServerResponse, IncomingMessage>()
  /** What requests ask for, also those whose clients have left. */
  readonly running = new Running()
  /** Hears that a response is closed; one listener does for all. */
  readonly forget: (this: ServerResponse) => void

  constructor(taken?: Seated<Parts>) {
    this.taken = taken
    const { open } = this
    this.forget = function () {
      open.delete(this)
    }
  }
}

export class Clouds<Parts extends object> {
  readonly first = new Seat<Parts>()
  readonly #asked = new AsyncLocalStorage<Seat<Parts> | undefined>()
  /** True as long as there is no other cloud than that which the edge was built with. */
  #isAlone = true

  /** The options of whichever cloud is asked. `keys` are those that each has of its own. */
  options<Options extends Parts>(first: Options, keys: readonly (keyof Parts & string)[]): Options {
    const own = keys.map((key) => [key, { get: () => (this.#present() ?? { parts: first }).parts[key] }])
    return Object.create(first, Object.fromEntries(own)) as Options
  }

  /** The handler of the cloud that is asked; `first` if that is the one that the edge was built with. */
  answer<T>(asked: unknown, first: T): T {
    const seated = this.#present()
    if (!seated) return first
    const answer = seated.answers.get(asked)
    if (answer === undefined) throw new Error('a cloud lacks what the first one has')
    return answer as T
  }

  /** Opens a further seat: connections that `open` accepts are for it. */
  add<T>(seat: Seat<Parts>, open: () => T): T {
    this.#isAlone = false
    return this.#asked.run(seat, open)
  }

  /** Does something for all clouds, whichever is asked. */
  forAll<T>(work: () => T): T {
    return this.#asked.run(undefined, work)
  }

  /** What is being carried out for the seat that is asked. */
  get running(): Running {
    return (this.#isAlone ? this.first : (this.#asked.getStore() ?? this.first)).running
  }

  /** Lets requests wait while the clouds of their seat change, and knows which are being answered. */
  gated(requests: RequestListener): RequestListener {
    const begin = (seat: Seat<Parts>, ...[request, response]: Parameters<RequestListener>) => {
      if (response.destroyed) return
      seat.open.set(response, request)
      response.on('close', seat.forget)
      requests(request, response)
    }
    return (request, response) => {
      const seat = this.#asked.getStore() ?? this.first
      if (seat.gate) void seat.gate.then(() => begin(seat, request, response))
      else begin(seat, request, response)
    }
  }

  /**
   * Lets another cloud take a seat. Requests that come meanwhile wait for it; `change` begins when those before, but for
   * those that change clouds themselves, are answered. Streams end, so that their clients come back.
   */
  async change(
    seat: Seat<Parts>,
    isChange: (request: IncomingMessage) => boolean,
    change: () => Promise<Seated<Parts>>,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    seat.gate = promise
    try {
      await answered([...seat.open].filter(([, request]) => !isChange(request)).map(([response]) => response))
      await seat.running.ended(patienceMs)
      seat.taken = await change()
      this.#isAlone = false
    } finally {
      seat.gate = undefined
      resolve()
    }
  }

  #present(): Seated<Parts> | undefined {
    return this.#isAlone ? undefined : (this.#asked.getStore() ?? this.first).taken
  }
}

/** The time for whoever sends a request or reads an answer, and for what a request asks, in milliseconds. */
export const patienceMs = 5_000

/** Resolves when all have been sent. Streams would never be, so they end here; a client that takes too long is cut off. */
async function answered(responses: readonly ServerResponse[]): Promise<void> {
  const cut = () => responses.forEach((response) => void response.destroy())
  const timer = setTimeout(cut, patienceMs)
  const isStream = (response: ServerResponse) => `${response.getHeader('content-type')}`.startsWith('text/event-stream')
  await Promise.all(
    responses.map((response) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      response.once('close', resolve)
      if (isStream(response)) response.destroy()
      return response.closed ? undefined : promise
    }),
  )
  clearTimeout(timer)
}
