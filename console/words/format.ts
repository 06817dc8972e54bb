/** Numbers and times as people read them, in the language of the page. */
import { language } from './words.ts'

/** Makes a formatter when the first text needs it, because that takes a millisecond or more. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

export const locale = language === 'de' ? 'de-DE' : 'en-GB'
const numbers = once(() => new Intl.NumberFormat(language))
const lists = once(() => new Intl.ListFormat(language))
const day = once(() => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }))
const exact = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }))
const percents = once(() => new Intl.NumberFormat(language, { style: 'percent' }))
const relative = once(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const thousands = language === 'de' ? '.' : ','

/** The first formatter of a process takes 30 ms, which the first picture of a page with counts does not wait for. */
export function number(value: number): string {
  return Number.isSafeInteger(value) && value >= 0
    ? String(value).replaceAll(/\B(?=(\d{3})+$)/g, thousands)
    : numbers().format(value)
}

/** `1 server`, `12 servers`: the form for a number, with the number where the form says `#`. */
export function plural(count: number, forms: { readonly one: string; readonly other: string }): string {
  return (count === 1 ? forms.one : forms.other).replaceAll('#', number(count))
}

/** `web-1, web-2 and web-3`; from the sixth on only how many. */
export function list(names: readonly string[], more: (count: number) => string): string {
  return lists().format(names.length > 6 ? [...names.slice(0, 5), more(names.length - 5)] : names)
}

const steps = [
  { unit: 'second', ms: 1_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'day', ms: 86_400_000 },
  { unit: 'year', ms: 365 * 86_400_000 },
] as const

const short = {
  second: 's',
  minute: 'min',
  hour: 'h',
  day: language === 'de' ? 'T' : 'd',
  year: language === 'de' ? 'J' : 'y',
}

/** A length of time in its largest unit: `8 s`, `12 min`, `41 d`. */
export function span(ms: number): string {
  const step = steps.findLast((one) => Math.abs(ms) >= one.ms) ?? steps[0]
  const value = Math.max(0, Math.floor(Math.abs(ms) / step.ms))
  return `${number(value)} ${short[step.unit]}`
}

/** Relative to one day, then the date: `3 minutes ago`, `21 Nov 2026`. */
export function ago(time: string, now = Date.now()): string {
  const ms = Date.parse(time) - now
  if (Math.abs(ms) >= 86_400_000) return day().format(new Date(time))
  const step = steps.findLast((one) => Math.abs(ms) >= one.ms) ?? steps[0]
  return relative().format(Math.trunc(ms / step.ms), step.unit)
}

export function exactTime(time: string | number): string {
  return exact().format(new Date(time))
}

export function timeOfDay(time: number): string {
  const at = new Date(time)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

export function date(time: string | number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, options).format(new Date(time))
}

export function percent(value: number): string {
  return percents()
    .format(value / 100)
    .replace(/\s*%/, ' %')
}
