/**
 * The ledger of statements. Many tests run on one database only, so a run notes which statements of the program each
 * database was given, and names those that were given to a single one: nobody knows whether the other accepts them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely'
import { Connection } from '../../src/kernel/data/connection.ts'
import { schemaTables } from '../kit/database/schema.ts'
import type { EngineName } from '../kit/engines.ts'

/** Names the folder of a run's ledger to the processes of its tests. */
export const ledgerVariable = 'WOLKE_TEST_LEDGER'

/** The parts of the program whose own tests run on both databases, and this file. What they make for another part is its. */
const crossed = /^(src\/kernel\/(data|resource|actions|queue)|test\/run\/ledger)\b/

/** By the normal form of a statement: where the program made it. */
type Statements = Record<string, string>
type Ledger = Record<EngineName, Statements>

/** Notes what this process gives to databases, and writes it into the folder when the process ends. */
export function noteStatements(folder: string): void {
  const makers = noteMakers()
  const seen: Record<EngineName, Set<string>> = { sqlite: new Set(), postgres: new Set() }
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text, ...more) {
    seen.sqlite.add(text)
    return prepare.call(this, text, ...more)
  }
  const { send } = Connection.prototype
  Connection.prototype.send = function (statements) {
    for (const { text } of statements) seen.postgres.add(text)
    return send.call(this, statements)
  }
  process.once('exit', () => {
    const ledger: Ledger = { sqlite: ofProgram(seen.sqlite, makers), postgres: ofProgram(seen.postgres, makers) }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(ledger))
  })
}

/**
 * Notes which file makes each statement. A statement is compiled where it is made, and runs later, when nobody can tell any
 * more. What tests make counts only until the program makes the same.
 */
function noteMakers(): ReadonlyMap<string, string> {
  const makers = new Map<string, string>()
  for (const { prototype } of [SqliteQueryCompiler, PostgresQueryCompiler]) {
    const { compileQuery } = prototype
    prototype.compileQuery = function (this: unknown, ...query: Parameters<typeof compileQuery>): CompiledQuery {
      const compiled = compileQuery.apply(this as SqliteQueryCompiler, query)
      if (!makers.get(compiled.sql)?.startsWith('src/')) makers.set(compiled.sql, maker())
      return compiled
    } as typeof compileQuery
  }
  return makers
}

/** The innermost frame of the stack that is not of `crossed`, such as `src/families/zones/store.ts:12`. */
function maker(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 60
  const { stack = '' } = new Error('a statement')
  Error.stackTraceLimit = stackTraceLimit
  const frames = [...stack.matchAll(/\/((?:src|test)\/[\w/.-]+\.ts:\d+)/g)].map(([, frame = '']) => frame)
  const found = frames.find((frame) => !crossed.test(frame)) ?? ''
  return found.includes('.test.ts') ? `test/${found}` : found
}

const tables = new Set(schemaTables().map(({ name }) => name))

/** What the program made of statements that read and write rows of the schema. */
function ofProgram(seen: ReadonlySet<string>, makers: ReadonlyMap<string, string>): Statements {
  const found: Statements = {}
  for (const text of seen) {
    const from = makers.get(text)
    const named = [...text.matchAll(/\b(?:from|into|update|join) "?(\w+)/gi)]
    if (!from?.startsWith('src/') || !named.some(([, name]) => tables.has(name!))) continue
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
      .map(([text, from]) => `${engine} only: ${text} (${from})`)
  return [...alone('sqlite', 'postgres'), ...alone('postgres', 'sqlite')]
}
