/** A client that changes its own resources and records the answers and the unanswered requests. */
import type { Answer, Client } from '../../test/kit/harness.ts'
import type { Random } from '../random.ts'
import { type Change, type Family, families, type State } from './families.ts'

/** The recorded knowledge about one resource. */
export interface Known {
  readonly family: Family
  /** The last acknowledged state; undefined after a deletion. */
  answered: State | undefined
  /** The later request without an answer, which may or may not have been carried out. */
  asked?: Change
  /** Facets that change only once actions have ended; all of them for a deletion. */
  readonly later: Set<string>
  gone?: true
}

/** The records that all writers of an attack share. */
export class Ledger {
  readonly known = new Map<string, Known>()
  /** Creations without an answer, by version. */
  readonly unsure = new Map<string, { readonly family: Family; readonly state: State }>()
  readonly actions = new Set<number>()
  /** Unexpected answers: neither a success nor a refusal because of a lock, a use or an outage. */
  readonly unexplained: string[] = []
  acknowledged = 0
  refused = 0
  #versions = 0

  /** Returns a unique text. */
  version(): string {
    return `v${++this.#versions}`
  }
}

export const keyOf = ({ path }: Family, id: number) => `${path}/${id}`

/** The maximum number of resources of each writer, which keeps checking all of them fast. */
const most = 10

export class Writer {
  readonly #ledger: Ledger
  readonly #api: Client
  readonly #random: Random
  readonly #own: { key: string; known: Known }[] = []
  readonly #done: Promise<void>
  #stopping = false

  constructor(ledger: Ledger, api: Client, random: Random) {
    this.#ledger = ledger
    this.#api = api
    this.#random = random
    this.#done = this.#work()
  }

  /** Stops after the current request. */
  stop(): Promise<void> {
    this.#stopping = true
    return this.#done
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#step()
      } catch {
        // The server was killed; the request stays unanswered.
        return
      }
    }
  }

  #step(): Promise<void> {
    const own = this.#own.filter(({ known }) => known.answered !== undefined && !known.asked && !known.gone)
    if (own.length < 2 || (own.length < most && this.#random.chance(0.4))) return this.#create()
    const { key, known } = this.#random.pick(own)
    const changes = known.family.changes(this.#ledger.version())
    const isFull = own.length >= most
    return this.#change(key, known, isFull ? changes.at(-1)! : this.#random.pick(changes))
  }

  async #create(): Promise<void> {
    const family = this.#random.pick(families)
    const version = this.#ledger.version()
    const { body, state } = family.create(version)
    this.#ledger.unsure.set(version, { family, state })
    const answer = await this.#api.post(family.path, body)
    if (this.#judge(answer) === 'unsure') return
    this.#ledger.unsure.delete(version)
    if (answer.status >= 300) return
    const known: Known = { family, answered: state, later: new Set(state.power === undefined ? [] : ['power']) }
    const key = keyOf(family, answer.body[family.one].id)
    this.#own.push({ key, known })
    this.#ledger.known.set(key, known)
  }

  async #change(key: string, known: Known, change: Change): Promise<void> {
    known.asked = change
    const options = change.body === undefined ? {} : { body: change.body }
    const answer = await this.#api.request(change.method, key + change.path, options)
    const verdict = this.#judge(answer)
    if (verdict === 'unsure') return
    delete known.asked
    if (verdict === 'refused') return
    if (change.later) for (const facet of Object.keys(change.to ?? { gone: '' })) known.later.add(facet)
    known.answered = change.to && { ...known.answered, ...change.to }
    if (change.to === undefined) known.gone = true
  }

  /** Judges an answer: after a 500 the outcome is unknown; any other refusal, including 503, changed nothing. */
  #judge({ status, body, path, text }: Answer): 'done' | 'refused' | 'unsure' {
    if (status >= 300 && ![409, 423, 503].includes(status)) this.#ledger.unexplained.push(`${path}: ${status} ${text}`)
    if (status === 500) return 'unsure'
    if (status >= 300) {
      this.#ledger.refused++
      return 'refused'
    }
    this.#ledger.acknowledged++
    const started = [body?.action, ...(body?.actions ?? []), ...(body?.next_actions ?? [])]
    for (const action of started) if (action) this.#ledger.actions.add(action.id)
    return 'done'
  }
}
