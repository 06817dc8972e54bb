/** The ledger knows what became of resources, and what each of them costs by the hour. */
import type { Columns, LifeEvent } from '../../kernel/data/follow.ts'
import type { Rate } from '../../platform.ts'
import { isLess, rounded, sum, times } from '../../protocols/net/decimal.ts'
import { withoutTokens } from './masks.ts'
import type { RatesOf } from './rates.ts'

/** The rates that hold from a time on. */
interface Priced {
  readonly fromMs: number
  readonly rates: readonly Rate[]
}

interface Life {
  readonly type: string
  readonly id: number
  readonly name: string | null
  readonly project: number
  /** The token that made it; null for what no request of a token has made. */
  readonly token: number | null
  /** The number of the event with which it came to be. */
  readonly born: number
  readonly createdMs: number
  readonly prices: readonly Priced[]
  /** Missing while it is there. */
  readonly gone?: { readonly event: number; readonly atMs: number }
}

/** A resource that is there, with its columns, which say what it costs. */
interface Living {
  readonly life: Life
  readonly columns: Columns
}

/** The most resources that are gone and still known; those that went first are forgotten. */
export const mostGone = 100_000

/** The resources that came to be. */
export class Ledger {
  readonly #living = new Map<string, Living>()
  readonly #gone = new Set<Life>()

  /** Takes in the event of a number. */
  follow(event: LifeEvent, ratesOf: RatesOf, number: number): void {
    if (event.kind === 'emptied') {
      this.#endAll(number, event.atMs, ({ life }) => life.project === event.projectId)
      return
    }
    const key = `${event.type} ${event.id}`
    if (event.kind === 'began') {
      this.#living.set(key, { life: bornBy(event, ratesOf, number), columns: event.columns })
      return
    }
    const known = this.#living.get(key)
    if (!known) return
    if (event.kind === 'changed') this.#living.set(key, changed(known, event, ratesOf))
    else this.#end(key, known, number, event.atMs)
  }

  /** Another state has taken the place of the cloud, so that none of them is there any more. */
  clear(number: number, atMs: number): void {
    this.#endAll(number, atMs, () => true)
  }

  /** Lists those that are there and those that are gone, by their ids. */
  list(): readonly Life[] {
    return [...this.#gone, ...[...this.#living.values()].map(({ life }) => life)].sort((a, b) => a.id - b.id)
  }

  #endAll(number: number, atMs: number, isMeant: (living: Living) => boolean): void {
    for (const [key, living] of this.#living) if (isMeant(living)) this.#end(key, living, number, atMs)
  }

  #end(key: string, { life }: Living, event: number, atMs: number): void {
    this.#living.delete(key)
    this.#gone.add({ ...life, gone: { event, atMs } })
    if (this.#gone.size > mostGone) this.#gone.delete(this.#gone.values().next().value as Life)
  }
}

function bornBy(event: LifeEvent & { readonly kind: 'began' }, ratesOf: RatesOf, number: number): Life {
  const { type, id, projectId, by, atMs, columns } = event
  const name = [columns.name, columns.description].find((text) => typeof text === 'string' && text !== '')
  return {
    type,
    id,
    name: name === undefined ? null : withoutTokens(name as string),
    project: projectId,
    token: by?.kind === 'token' ? by.id : null,
    born: number,
    createdMs: atMs,
    prices: [{ fromMs: atMs, rates: ratesOf(type, columns) }],
  }
}

function changed({ life, columns }: Living, event: LifeEvent & { readonly kind: 'changed' }, ratesOf: RatesOf): Living {
  const now = { ...columns, ...event.columns }
  const rates = ratesOf(life.type, now)
  const isSame = JSON.stringify(rates) === JSON.stringify(life.prices.at(-1)!.rates)
  const prices = isSame ? life.prices : [...life.prices, { fromMs: event.atMs, rates }]
  return { life: { ...life, prices }, columns: now }
}

export interface Line {
  readonly type: string
  readonly id: number
  readonly name: string | null
  readonly project: number
  readonly part: string | null
  readonly fromMs: number
  /** Missing for what still costs. */
  readonly untilMs: number | undefined
  readonly hours: number
  readonly hourly: string
  readonly net: string
}

const hourMs = 3_600_000
/** The hours after which a month has passed, for the most that a month costs. */
const monthHours = 720

/** The lines of what a resource has cost until a time; each begun hour counts. */
export function linesOf({ type, id, name, project, prices, gone }: Life, nowMs: number): Line[] {
  return prices.flatMap(({ fromMs, rates }, index) => {
    const untilMs = prices[index + 1]?.fromMs ?? (gone && gone.atMs <= nowMs ? gone.atMs : undefined)
    const hours = Math.max(1, Math.ceil(((untilMs ?? nowMs) - fromMs) / hourMs))
    return rates.map(({ part = null, hourly, monthly }) => {
      const [all, most] = [times(hourly, hours), times(monthly, Math.ceil(hours / monthHours))]
      const net = rounded(isLess(most, all) ? most : all, 4)
      return { type, id, name, project, part, fromMs, untilMs, hours, hourly: rounded(hourly, 10), net }
    })
  })
}

export function totalOf(lines: readonly Line[]): string {
  return rounded(sum(lines.map(({ net }) => net)), 4)
}
