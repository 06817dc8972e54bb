/** Assertions name findings that let a build fail. */
import { isLess } from '../../protocols/net/decimal.ts'
import { printable } from './printable.ts'
import type { Report } from './schema.ts'

/** An assertion in the form in which it was given, such as `leftovers` or `cost>1.00`. */
export type Assertion = string

/** The part of a report that assertions look at. */
type Judged = Omit<Report, 'assertions'>

/** Each lists, in lines, the findings that break an assertion. */
const breakers: Readonly<Record<string, (report: Judged) => string[]>> = {
  leftovers: ({ leftovers }) =>
    leftovers.map(({ type, id, name }) => `${type} ${id}${name === null ? '' : ` (${name})`}`),
  throttled: ({ throttling: { requests, first, limit } }) =>
    requests === 0 ? [] : [`${requests} requests above ${limit} an hour, the first at ${first}`],
  deprecated: ({ deprecations }) =>
    deprecations.map(
      ({ operation, field, stops, summary }) =>
        `${operation}${field === null ? '' : ` with ${field}`}: ${summary}${stops === null ? '' : `, from ${stops}`}`,
    ),
  'unknown-fields': (report) =>
    report.unknown_fields.map(({ operation, field, place }) => `${operation}: ${field} in the ${place}`),
  unawaited: (report) =>
    report.unawaited_actions.map(({ id, command, operation }) => `${command} ${id}, of ${operation}`),
}

/** All but the one about costs, which has no usual bound. */
export const usualAssertions: readonly Assertion[] = Object.keys(breakers)

const cost = /^cost>(\d{1,9}(?:\.\d{1,4})?)$/

/** Reads assertions that are separated by commas, or `none`. Throws a string that says what is wrong. */
export function parseAssertions(text: string): readonly Assertion[] {
  if (text === 'none') return []
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(breakers, name) && !cost.test(name))
  if (unknown !== undefined)
    throw `must be of ${usualAssertions.join(', ')} and cost>AMOUNT, not '${unknown.slice(0, 80)}'`
  return [...new Set(names)]
}

/** Judges a report by assertions, in their order. */
export function judge(report: Judged, assertions: readonly Assertion[]): Report['assertions'] {
  return assertions.map((assertion) => {
    const found = breakers[assertion]?.(report) ?? overspent(report, cost.exec(assertion)![1]!)
    return { assertion, holds: found.length === 0, found: found.map(printable) }
  })
}

/** The assertions that a report has broken. */
export function failures({ assertions }: Pick<Report, 'assertions'>): Report['assertions'] {
  return assertions.filter(({ holds }) => !holds)
}

function overspent({ cost: { net, currency } }: Judged, most: string): string[] {
  return isLess(most, net) ? [`${net} ${currency}, which is more than ${most}`] : []
}
