/**
 * Several clouds behind one edge: each answers at an address of its own, with data and a time of its own. They share what
 * the edge is made of, such as its routes and what checks bodies, which takes more memory and time than all else. Nothing
 * of this costs the first cloud anything; a further one is known by the connection, which was accepted in its context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A further cloud. */
interface Further<Parts extends object> {
  /** What it has instead of the first one's. */
  readonly parts: Parts
  /** What it answers with, by what is asked: an endpoint, or the path of a page. */
  readonly answers: ReadonlyMap<unknown, unknown>
}

export class Clouds<Parts extends object> {
  readonly #asked = new AsyncLocalStorage<Further<Parts> | undefined>()
  #further = 0

  /** The options of whichever cloud is asked. `keys` are those that each has of its own. */
  options<Options extends Parts>(first: Options, keys: readonly (keyof Parts & string)[]): Options {
    const own = keys.map((key) => [key, { get: () => (this.#present() ?? { parts: first }).parts[key] }])
    return Object.create(first, Object.fromEntries(own)) as Options
  }

  /** What the cloud that is asked answers something with; `first` where that is the first one. */
  answer<T>(asked: unknown, first: T): T {
    const further = this.#present()
    if (!further) return first
    const answer = further.answers.get(asked)
    if (answer === undefined) throw new Error('a cloud lacks what the first one has')
    return answer as T
  }

  /** Opens a further cloud: connections that `open` accepts are for it. */
  add<T>(cloud: Further<Parts>, open: () => T): T {
    this.#further++
    return this.#asked.run(cloud, open)
  }

  remove(): void {
    this.#further--
  }

  /** Does something for all clouds, whichever is asked. */
  forAll<T>(work: () => T): T {
    return this.#asked.run(undefined, work)
  }

  #present(): Further<Parts> | undefined {
    return this.#further === 0 ? undefined : this.#asked.getStore()
  }
}
