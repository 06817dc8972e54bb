/** Measurements of servers on the wire (spec: Servers). */
import { Type } from 'typebox'
import { defineEndpoints, named, type Param, Timestamp } from '../../../kernel/contract/contract.ts'
import { type MetricType, metricTypes } from './domain.ts'

const Metrics = named('Metrics', {
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
const typesParam: Param<readonly MetricType[]> = {
  schema: { type: 'array', items: { type: 'string', enum: metricTypes }, minItems: 1, maxItems: 100 },
  description: 'What was measured; may be repeated, or have commas between kinds. Required',
  repeatable: true,
  parse(texts) {
    const names = texts.flatMap((text) => text.split(','))
    if (names.length === 0) throw 'is required'
    return metricTypes.filter((type) => {
      const unknown = names.find((name) => !(metricTypes as string[]).includes(name))
      if (unknown !== undefined) throw `must be one of ${metricTypes.map((known) => `'${known}'`).join(', ')}`
      return names.includes(type)
    })
  },
}

/** RFC 3339, whose offset loses its plus sign in URLs that are not encoded. */
const moment = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+ -]\d\d:?\d\d)?$/

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
      const [, date, time, offset = 'Z'] = /^(.{10}).(.*?)([Zz]|[+ -]\d\d:?\d\d)?$/.exec(text) ?? []
      const ms =
        text.length <= mostMoment && moment.test(text)
          ? Date.parse(`${date}T${time}${offset.toUpperCase().replace(' ', '+')}`)
          : Number.NaN
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

export const metricEndpoints = defineEndpoints({
  metrics: {
    method: 'GET',
    path: '/servers/{id}/metrics',
    summary: 'Get what was measured of a server in the past 30 days',
    section: 'Servers',
    query: {
      type: typesParam,
      start: momentParam('The first moment'),
      end: momentParam('The moment after the last one'),
      step: stepParam,
    },
    status: 200,
    reply: Type.Object({ metrics: Metrics }),
    errors: [],
  },
})
