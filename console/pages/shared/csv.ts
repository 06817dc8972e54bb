/** Resources as a table of text: a column for each field that any of them has, named as in the API. */
import { toCsv } from '../../lib/csv.ts'

type Cells = Readonly<Record<string, string>>

export function csvOf(rows: readonly object[]): string {
  const lines = rows.map((row) => cellsOf(row))
  const titles = [...new Set(lines.flatMap((line) => Object.keys(line)))]
  return toCsv(
    titles,
    lines.map((line) => titles.map((title) => line[title] ?? '')),
  )
}

/** What is inside of a resource stands beside it, as `public_net.ipv4.ip`; other resources are their names. */
function cellsOf(value: object, prefix = ''): Cells {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]): [string, string][] => {
      const title = `${prefix}${key}`
      if (key === 'labels') return [[title, labelsText(part as Readonly<Record<string, string>>)]]
      const text = textOf(part)
      return text === undefined ? Object.entries(cellsOf(part as object, `${title}.`)) : [[title, text]]
    }),
  )
}

/** Undefined for what has parts that stand for themselves. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((one) => textOf(one) ?? JSON.stringify(one)).join(' ')
  if (typeof value !== 'object') return String(value)
  const { name, id } = value as { readonly name?: unknown; readonly id?: unknown }
  if (typeof name === 'string') return name
  return id === undefined ? undefined : Object.keys(value).length === 1 ? String(id) : undefined
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(',')
}
