/** The results of a run as a table, for the terminal and for docs/reliability.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { EngineName } from '../test/kit/harness.ts'
import { type Finding, rounded } from './attack.ts'

/** A finding with its attack and database. */
export interface Row extends Finding {
  readonly attack: string
  readonly database: EngineName
}

const heading = ['attack', 'database', 'promise', 'figure', 'bar', '']

const shown = (figure: number, unit: string) => `${Number.isNaN(figure) ? 'unknown' : rounded(figure)} ${unit}`

function cells({ attack, database, promise, figure, unit, bar, held }: Row): string[] {
  return [attack, database, promise, shown(figure, unit), bar, held ? 'held' : 'MISSED']
}

/** Formats the rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const lines = [heading, ...rows.map(cells)]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const head = ['| attack | promise | SQLite (bar) | PostgreSQL (bar) |', '|---|---|---|---|']

/** A line of Markdown for each promise, with the databases side by side. */
function lines(rows: readonly Row[]): string[] {
  const byPromise = Map.groupBy(rows, ({ attack, promise }) => `${attack}\n${promise}`)
  const cell = (found: readonly Row[], database: EngineName) => {
    const row = found.find((one) => one.database === database)
    if (!row) return ''
    return `${shown(row.figure, row.unit)} (${row.bar})${row.held ? '' : ' **missed**'}`
  }
  return [...byPromise.values()].map(
    (found) => `| ${found[0]!.attack} | ${found[0]!.promise} | ${cell(found, 'sqlite')} | ${cell(found, 'postgres')} |`,
  )
}

const begin = '<!-- attack: begin -->'
const end = '<!-- attack: end -->'

/** Replaces the text between the two markers of a document. Throws when it has no markers. */
export function writeInto(file: string, rows: readonly Row[], about: string): void {
  replaceIn(file, () => [about, '', ...head, ...lines(rows)])
}

/** Replaces the lines of the attacks that were run, and says about them what is said of no other one. */
export function writeSomeInto(file: string, rows: readonly Row[], about: string): void {
  const names = [...new Set(rows.map(({ attack }) => attack))]
  const intro = `${names.map((name) => `\`${name}\``).join(' and ')}:`
  replaceIn(file, (old) => {
    const at = old.indexOf(head[0]!)
    const first = old.findIndex((line, i) => i > at && names.some((name) => line.startsWith(`| ${name} |`)))
    const others = old.filter((line) => !names.some((name) => line.startsWith(`| ${name} |`)))
    const said = others.slice(0, at).filter((line) => line !== '' && !line.startsWith(intro))
    const place = first === -1 ? others.length : first
    return [...said, `${intro} ${about}`, '', ...others.slice(at, place), ...lines(rows), ...others.slice(place)]
  })
}

function replaceIn(file: string, change: (old: readonly string[]) => readonly string[]): void {
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${file} has no place for figures between '${begin}' and '${end}'`)
  const old = text
    .slice(from + begin.length, to)
    .trim()
    .split('\n')
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${change(old).join('\n')}\n${text.slice(to)}`)
}
