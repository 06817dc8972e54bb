/** A report as text, for people. */
import { printable } from './printable.ts'
import type { Report } from './schema.ts'

export function toText(report: Report): string {
  const { run, requests, polling, throttling, cost } = report
  const share = Math.round(polling.share * 100)
  const sections = [
    section('Requests by operation', report.operations, ({ operation, status, code, injected, lost, count }) => {
      const what = `${count} x ${operation}: ${status}${code === null ? '' : ` ${code}`}`
      return `${what}${lost ? ', an answer that did not arrive' : ''}${injected === null ? '' : ` (injected by ${injected})`}`
    }),
    section('Sent again after an error', report.retries, ({ operation, code, pause, count }) => {
      return `${count} x ${operation} after ${code}, ${pauseTexts[pause]}`
    }),
    section('Pages that nobody asked for', report.unfollowed_pages, ({ list, next_page }) => {
      return `${list}: page ${next_page}`
    }),
    section('Deprecated', report.deprecations, ({ operation, field, summary, stops, count }) => {
      return `${count} x ${operation}${field === null ? '' : `, ${field}`}: ${summary} (${stops === null ? 'goes on' : stops})`
    }),
    section('Sent and read by nothing', report.unknown_fields, ({ operation, field, place, count }) => {
      return `${count} x ${operation}: ${field} in the ${place}`
    }),
    section('Actions that nobody waited for', report.unawaited_actions, ({ id, command, operation }) => {
      return `${command} ${id}, of ${operation}`
    }),
    section('Left over', report.leftovers, ({ type, id, name, created }) => {
      return `${type} ${id}${name === null ? '' : ` (${name})`}, created ${created}`
    }),
    section(`Cost: ${cost.net} ${cost.currency}`, cost.lines, costLine),
    section('Assertions', report.assertions, ({ assertion, holds }) => `${holds ? 'holds' : 'FAILS'}: ${assertion}`),
  ]
  return [
    `Run ${run.id} (${run.name}), from ${run.started} to ${run.ended ?? 'now'}`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}, of which ${polling.requests} were polling (${share} %)`,
    throttling.first === null
      ? `Never above ${throttling.limit} requests an hour`
      : `Would have been throttled at ${throttling.first}: ${throttling.requests} requests above ${throttling.limit} an hour`,
    ...sections.flat(),
    '',
  ]
    .map(printable)
    .join('\n')
}

const pauseTexts: Readonly<Record<Report['retries'][number]['pause'], string>> = {
  until_told: 'with back-off: at the time that the answer had told',
  own: 'with back-off',
  at_once: 'without back-off: at once',
  constant: 'without back-off: after a short pause that was always the same',
  unknown: 'back-off unknown: the clock stood still',
}

function costLine({ type, id, name, part, hours, price_hourly, net }: Report['cost']['lines'][number]): string {
  const what = `${type} ${id}${name === null ? '' : ` (${name})`}${part === null ? '' : `, ${part}`}`
  return `${net}  ${what}: ${hours} h at ${price_hourly}`
}

/** Nothing for what there is none of. */
function section<T>(title: string, items: readonly T[], line: (item: T) => string): string[] {
  return items.length === 0 ? [] : ['', title, ...items.map((item) => `  ${line(item)}`)]
}
