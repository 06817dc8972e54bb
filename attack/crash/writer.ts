/** A client that changes its own resources and records the answers and the unanswered requests. */
import { setImmediate as turn } from 'node:timers/promises'
import { type CrashDraw, type CrashWrite, type Held, keyOf } from '../../test/kit/crash.ts'
import type { Answer, Client } from '../../test/kit/harness.ts'
import type { Shown } from '../../test/kit/proof.ts'
import { partsIn, traffic } from '../../test/kit/traffic.ts'
import type { Random } from '../random.ts'
import { type Known, type Ledger, laterFacets } from './ledger.ts'
import { makerOf, type WriteKind, writeKinds } from './writes.ts'

/** How many resources of a family each writer has at most, which keeps checking all of them fast. */
const most = 3

/** Says that a writer has no resource of a family that a write needs. */
class Missing extends Error {
  readonly family: string

  constructor(family: string) {
    super(`no ${family}`)
    this.family = family
  }
}

/** What a write changes that names no resource. */
const nothing: Held = { id: 0, key: '', state: {}, shown: { id: 0 } }

/** What is sent. */
interface Filled {
  readonly path: string
  readonly options: { readonly body?: unknown }
}

type Prepared = { readonly write: CrashWrite; readonly target?: Known; readonly version: string }

export class Writer {
  readonly #ledger: Ledger
  readonly #api: Client
  readonly #random: Random
  readonly #name: string
  readonly #own: Known[]
  /** Settles when it has stopped, or its server is gone. */
  readonly done: Promise<void>
  #stopping = false

  /** Goes on with the resources that an earlier writer of the same name has made. */
  constructor(ledger: Ledger, api: Client, random: Random, name: string) {
    this.#ledger = ledger
    this.#api = api
    this.#random = random
    this.#name = name
    this.#own = [...ledger.known.values()].filter(({ owner }) => owner === name)
    this.done = this.#work()
  }

  /** Stops after the current request. */
  stop(): Promise<void> {
    this.#stopping = true
    return this.done
  }

  async #work(): Promise<void> {
    for (let isCut = false; !this.#stopping && !isCut; ) {
      const step = this.#next()
      if (!step) await turn()
      else isCut = !(await this.#send(step.kind, step.prepared))
    }
  }

  /** A write that can be sent, or undefined when there is none of the chosen kind; makes what is missing for it first. */
  #next(): { kind: WriteKind; prepared: Prepared } | undefined {
    let kind = this.#choose()
    for (let tries = 0; tries < 4; tries++) {
      const prepared = this.#prepare(kind)
      if (!(prepared instanceof Missing)) return prepared && { kind, prepared }
      if (this.#there(prepared.family).length >= most) return undefined
      kind = makerOf(prepared.family)
    }
    return undefined
  }

  /** Any kind of write, and often one of those that were acknowledged least. */
  #choose(): WriteKind {
    const countOf = ({ name }: WriteKind) => this.#ledger.counts.get(name) ?? 0
    const least = Math.min(...writeKinds.map(countOf))
    const rare = writeKinds.filter((kind) => countOf(kind) === least)
    const kind = this.#random.pick(this.#random.chance(0.4) ? rare : writeKinds)
    const isFull = kind === makerOf(kind.family) && this.#there(kind.family).length >= most
    return isFull ? (writeKinds.find(({ name }) => name === `DELETE /${kind.family}/{${kind.family}}`) ?? kind) : kind
  }

  /** The resources of a family that are there, and of which no request is unanswered. */
  #there(family: string): Held[] {
    return this.#own.flatMap((known) => {
      const { id, key, shown, asked } = known
      if (known.family !== family || asked || this.#ledger.fateOf(key) !== 'there') return []
      const state = this.#ledger.stateOf(known)
      return state ? [{ id, key, shown, state }] : []
    })
  }

  /** The write for the first target that is in a state for it. */
  #prepare(kind: WriteKind): Prepared | Missing | undefined {
    const number = this.#ledger.nextVersion()
    const version = `v${number}`
    const draw: CrashDraw = {
      version,
      number,
      oneOf: (items) => this.#random.pick(items),
      any: (family, fits = () => true) => {
        const fitting = this.#there(family).filter(({ state }) => fits(state))
        if (fitting.length === 0) throw new Missing(family)
        return this.#random.pick(fitting)
      },
      has: (family, fits) =>
        this.#own.some(({ family: its, answered }) => its === family && answered !== undefined && fits(answered)),
    }
    try {
      if (kind.target === undefined) {
        const write = kind.row(draw, nothing)
        return write && { write, version }
      }
      const targets = this.#there(kind.target)
      if (targets.length === 0) throw new Missing(kind.target)
      for (const target of this.#shuffled(targets)) {
        const write = kind.row(draw, target)
        if (write) return { write, version, target: this.#ledger.known.get(target.key)! }
      }
      return undefined
    } catch (error) {
      if (error instanceof Missing) return error
      throw error
    }
  }

  #shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.#random.below(1_000_000) }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  }

  /** Returns false when the connection was cut because the server was killed: the request stays unanswered. */
  async #send(kind: WriteKind, { write, target, version }: Prepared): Promise<boolean> {
    const { to, makes } = write
    const filled = await this.#filled(kind, write, target)
    if (!filled) return true
    if (target && to) target.asked = write
    const later = laterFacets(write, makes)
    if (makes) this.#ledger.unsure.set(version, { family: kind.family, owner: this.#name, state: makes, later })
    const answer = await unlessCut(this.#api.request(kind.method, filled.path, filled.options))
    if (!answer) return false
    const verdict = this.#judge(kind, answer, write)
    if (verdict === 'unsure') return true
    this.#ledger.unsure.delete(version)
    if (target) delete target.asked
    if (verdict === 'refused') return true
    if (target && to) change(target, write)
    if (makes) this.#keep(kind.family, answer, makes, later)
    return true
  }

  /**
   * The path and the body of a write, with the id of the first part of its target for each `{.parts}` in them; undefined when
   * there is none.
   */
  async #filled({ path }: WriteKind, { body }: CrashWrite, target: Known | undefined): Promise<Filled | undefined> {
    const whole = target ? `/${target.family}/${target.id}` : ''
    let text = JSON.stringify([path.replace(/\{\w+\}/, String(target?.id)), body ?? null])
    for (const [placeholder, list] of text.matchAll(/\{\.(\w+)\}/g)) {
      const answer = await unlessCut(this.#api.get(`${whole}/${list}`))
      const [first] = partsIn(`/${list}`, answer?.body)
      if (!first) return undefined
      text = text.replaceAll(placeholder, String(first.id))
    }
    const [filled, given] = JSON.parse(text)
    return { path: filled, options: given === null ? {} : { body: given } }
  }

  #keep(family: string, { body }: Answer, state: Known['answered'] & {}, later: readonly string[]): void {
    const shown = body[traffic.get(family)!.kind] as Shown
    const key = keyOf(family, shown.id)
    const known: Known = { family, id: shown.id, key, owner: this.#name, shown, answered: state, later: new Set(later) }
    this.#own.push(known)
    this.#ledger.known.set(key, known)
  }

  /** Judges an answer: after a 500 the outcome is unknown; any other refusal, including 503, changed nothing. */
  #judge(kind: WriteKind, { status, body, text }: Answer, { mayFail = [] }: CrashWrite): 'done' | 'refused' | 'unsure' {
    if (status < 300) {
      this.#ledger.count(kind.name)
      const started = [body?.action, ...(body?.actions ?? []), ...(body?.next_actions ?? [])]
      for (const action of started) if (action) this.#ledger.actions.set(action.id, mayFail)
      return 'done'
    }
    const isExplained = status === 503 || kind.refusals.has(body?.error?.code)
    if (!isExplained) this.#ledger.unexplained.push(`${kind.name}: ${status} ${text}`)
    return status === 500 ? 'unsure' : 'refused'
  }
}

/** Takes down what an answer promises. */
function change(target: Known, write: CrashWrite): void {
  const { to } = write
  for (const facet of laterFacets(write, to)) target.later.add(facet)
  target.answered = to === 'gone' ? undefined : { ...target.answered, ...to }
}

/** What is resolved, or undefined when a connection was cut. */
async function unlessCut<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code === 'string') return undefined
    throw error
  }
}
