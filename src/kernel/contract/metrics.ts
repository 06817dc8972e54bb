/** Measurements over time have the same parameters, moments and reply in every family that has them. */
import { Type } from 'typebox'
import { named, type Param, Timestamp } from './contract.ts'

export const Metrics = named('Metrics', {
  start: Timestamp,
  end: Timestamp,
  step: Type.Number({ description: 'Seconds between two values' }),
  time_series: Type.Record(
    Type.String(),
    Type.Object({ values: Type.Array(Type.Tuple([Type.Number({ description: 'UNIX seconds' }), Type.String()])) }),
    { description: 'By name of the series' },
  ),
})

/** Kinds of measurements: repeated, or with commas between them. */
function typesParam<Kind extends string>(kinds: readonly Kind[]): Param<readonly Kind[]> {
  return {
    schema: { type: 'array', items: { type: 'string', enum: kinds }, minItems: 1, maxItems: 100 },
    description: 'What was measured; may be repeated, or have commas between kinds. Required',
    repeatable: true,
    parse(texts) {
      const names = texts.flatMap((text) => text.split(','))
      if (names.length === 0) throw 'is required'
      const unknown = names.find((name) => !(kinds as readonly string[]).includes(name))
      if (unknown !== undefined) throw `must be one of ${kinds.map((known) => `'${known}'`).join(', ')}`
      return kinds.filter((kind) => names.includes(kind))
    },
  }
}

/** RFC 3339, or the basic format of ISO 8601. The offset loses its plus sign in URLs that are not encoded. */
const moment =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt ](\d\d)(?:(:?)(\d\d)(?:\6(\d\d(?:\.\d+)?))?)?([Zz]|[+ -]\d\d(?::?\d\d)?)?$/

/** Milliseconds since the epoch; NaN for what is no moment. */
function readMoment(text: string): number {
  const [, year, , month, day, hour, , minute = '00', second = '00', offset = 'Z'] = moment.exec(text) ?? []
  if (year === undefined) return Number.NaN
  const [, sign = '', hours = '', minutes = '00'] = /^([+ -])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const zone = sign === '' ? 'Z' : `${sign.replace(' ', '+')}${hours}:${minutes}`
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
}

/** The longest time and the longest number of seconds, in characters. */
const mostMoment = 64
const mostStep = 16

/** Milliseconds since the epoch. */
function momentParam(description: string): Param<number> {
  return {
    schema: { type: 'string', format: 'date-time', maxLength: mostMoment },
    description: `${description}. Required`,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined) throw 'is required'
      const ms = text.length <= mostMoment ? readMoment(text) : Number.NaN
      if (Number.isNaN(ms)) throw 'must be a time in RFC 3339'
      return ms
    },
  }
}

const stepParam: Param<number | undefined> = {
  schema: { type: 'string', pattern: '^\\d+$', maxLength: mostStep },
  description: 'Seconds between two values. Longer ones are used when a series would have more than 500 values',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1)
    if (text === undefined || text === '') return undefined
    if (text.length > mostStep || !/^0*[1-9]\d{0,8}$/.test(text)) throw 'must be a positive number of seconds'
    return Number(text)
  },
}

/** The query parameters of measurements of which there is one kind. */
export const rangeQuery = {
  start: momentParam('The first moment'),
  end: momentParam('The moment after the last one'),
  step: stepParam,
} as const

/** The query parameters of measurements of some kinds. */
export function metricsQuery<const Kind extends string>(kinds: readonly Kind[]) {
  return { type: typesParam(kinds), ...rangeQuery } as const
}

/** The most values of a series when the caller names no step, and when it does. */
const usualSamples = 200
const mostSamples = 500

const historyMs = 30 * 86_400_000

/** Whole seconds between two values: what is asked for, but never so few that a series becomes too long. */
export function stepOf(startMs: number, endMs: number, asked: number | undefined): number {
  const shortest = (samples: number) => Math.max(1, Math.ceil((endMs - startMs) / 1_000 / samples))
  return asked === undefined ? shortest(usualSamples) : Math.max(asked, shortest(mostSamples))
}

/**
 * The moments of the values of a series, in seconds since the epoch: those since the oldest kept one, until now. Exporters
 * ask for a single one by a start that is the end as well.
 */
export function momentsOf(startMs: number, endMs: number, step: number, now: number): number[] {
  if (startMs === endMs) return startMs > now || startMs < now - historyMs ? [] : [Math.floor(startMs / 1_000)]
  const first = Math.ceil(Math.max(startMs, now - historyMs) / 1_000 / step) * step
  const end = Math.min(endMs, now) / 1_000
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / step)) }, (_, index) => first + index * step)
}
