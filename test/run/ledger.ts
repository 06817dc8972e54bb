/**
 * The ledger of statements. Many tests run on one database only, so a run notes which statements of the program each
 * database was given, and names those that were given to a single one: nobody knows whether the other accepts them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Connection } from '../../src/kernel/data/connection.ts'
import { schemaTables } from '../kit/database/schema.ts'
import type { EngineName } from '../kit/engines.ts'

/** Names the folder of a run's ledger to the processes of its tests. */
export const ledgerVariable = 'WOLKE_TEST_LEDGER'

/** By the normal form of a statement: where the program made it, as far as the stack tells. */
type Statements = Record<string, string>
type Ledger = Record<EngineName, Statements>

/** Notes what this process gives to databases, and writes it into the folder when the process ends. */
export function noteStatements(folder: string): void {
  const seen: Record<EngineName, Map<string, string>> = { sqlite: new Map(), postgres: new Map() }
  const note = (engine: EngineName, text: string) => {
    if (!seen[engine].has(text)) seen[engine].set(text, origin())
  }
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text, ...more) {
    note('sqlite', text)
    return prepare.call(this, text, ...more)
  }
  const { send } = Connection.prototype
  Connection.prototype.send = function (statements) {
    for (const { text } of statements) note('postgres', text)
    return send.call(this, statements)
  }
  process.once('exit', () => {
    const ledger: Ledger = { sqlite: ofProgram(seen.sqlite), postgres: ofProgram(seen.postgres) }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(ledger))
  })
}

/** The frame of the stack that made a statement: the innermost one that is not of the database layer. */
function origin(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 60
  const { stack = '' } = new Error('a statement')
  Error.stackTraceLimit = stackTraceLimit
  const frames = stack.matchAll(/\/((?:src|test)\/[\w/.-]+:\d+)/g)
  for (const [, frame = ''] of frames)
    if (!/^(src\/kernel\/data\/[\w-]+\.ts|test\/(run\/ledger|kit\/database))/.test(frame)) return frame
  return ''
}

const tables = new Set(schemaTables().map(({ name }) => name))

/** Statements that read and write rows of the schema, but for those that tests make themselves. */
function ofProgram(seen: ReadonlyMap<string, string>): Statements {
  const found: Statements = {}
  for (const [text, from] of seen) {
    const named = [...text.matchAll(/\b(?:from|into|update|join) "?(\w+)/gi)]
    if (/^test\/|\.test\.ts/.test(from) || !named.some(([, name]) => tables.has(name!))) continue
    if (/^\s*\(?(select|insert|update|delete|with)\b/i.test(text)) found[form(text)] ||= from
  }
  return found
}

/** A statement in the form that it has on each database, however many values it is given. */
export function form(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('"', '')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/cast\(\? as bigint\)|\?::\w+(\[\])?/g, '?')
    .replaceAll(
      /cast\(unixepoch\('subsec'\) \* 1000 as integer\)|\(extract\(epoch from clock_timestamp\(\)\) \* 1000\)::bigint/g,
      'now',
    )
    .replaceAll(/ for (no key update|share|update)( of \w+)?( skip locked)?/g, '')
    .replaceAll(/\blimit \d+/g, 'limit ?')
    .replaceAll(/\([?, ]+\)/g, '(?)')
    .replaceAll(/\(\?\)(, \(\?\))+/g, '(?)')
    .trim()
}

/** What only one database needs. */
const single: readonly RegExp[] = [
  // Locks of keys, and looking at once for a unique value that another transaction may be writing.
  /pg_advisory_xact_lock/,
  /^select id from \w+ where \w+\.project_id = \? and name = \?$/,
  // How each of them counts ids, and what it knows of itself.
  /id_sequence/,
  /\bpg_|sqlite_master|pragma_/,
]

/** The statements that only one database was given, according to the ledgers in the folder: one line each. */
export function judgeLedger(folder: string): readonly string[] {
  const whole: Ledger = { sqlite: {}, postgres: {} }
  for (const name of readdirSync(folder)) {
    const { sqlite, postgres } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Ledger
    Object.assign(whole.sqlite, sqlite)
    Object.assign(whole.postgres, postgres)
  }
  const alone = (engine: EngineName, other: EngineName) =>
    Object.entries(whole[engine])
      .filter(([text]) => !(text in whole[other]) && !single.some((pattern) => pattern.test(text)))
      .map(([text, from]) => `${engine} only: ${text}${from && ` (${from})`}`)
  return [...alone('sqlite', 'postgres'), ...alone('postgres', 'sqlite')]
}
