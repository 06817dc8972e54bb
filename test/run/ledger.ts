/**
 * The ledger of statements. Many tests run on one database only, so a run notes which statements each database was given,
 * and fails when one of the program was given to a single database: nobody knows whether the other accepts it.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely'
import { Connection } from '../../src/kernel/data/connection.ts'
import { schemaTables } from '../kit/database/schema.ts'
import type { EngineName } from '../kit/engines.ts'
import { partsOf } from './statement-parts.ts'

/** Names the folder of a run's ledger to the processes of its tests. */
export const ledgerVariable = 'WOLKE_TEST_LEDGER'

/** Statements by their normal form, each with the place in src that made it, or an empty text where only tests did. */
type Statements = Readonly<Record<string, string>>
export type Ledger = Readonly<Record<EngineName, Statements>>

/** A part of statements that the program gives to one database only. */
interface Exemption {
  readonly engine: EngineName
  /** The file of src that makes the statements. */
  readonly file: string
  /** Matches the parts (`partsOf`). */
  readonly parts: RegExp
  readonly why: string
}

const exemptions: readonly Exemption[] = [
  {
    engine: 'sqlite',
    file: 'src/kernel/queue/leases.ts',
    parts: /^\w+: set (run_after|next_attempt_at) = (\?$|case when )|^update \w+ set … where …$/,
    why: 'Whoever opens a SQLite file is its only process, and frees what a dead one had claimed (forgetClaims).',
  },
  {
    engine: 'sqlite',
    file: 'src/kernel/actions/ready.ts',
    parts: /^action_serial: where serial_key in |^select serial_key from action_serial where …$/,
    why: 'Only on SQLite are actions claimed by the transaction that starts them (readyAmong).',
  },
  {
    engine: 'sqlite',
    file: 'src/migrations/result.ts',
    parts: /^select 1 from \w+ limit \?$/,
    why: 'Only a new SQLite database is made of what the migrations lead to (resultOn).',
  },
  {
    engine: 'postgres',
    file: 'src/kernel/resource/resource.ts',
    parts: /^select id from \w+ where …$|^\w+: where name = \?$/,
    why: 'A request looks for a rival only where another one can hold a name that it waits for (reserveName).',
  },
]

/** Notes what this process gives to databases, and writes it into the folder when the process ends. */
export function noteStatements(folder: string): void {
  const notes = { sqlite: new Notes(SqliteQueryCompiler), postgres: new Notes(PostgresQueryCompiler) }
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text, ...more) {
    notes.sqlite.given.add(text)
    return prepare.call(this, text, ...more)
  }
  const { send } = Connection.prototype
  Connection.prototype.send = function (statements) {
    for (const { text } of statements) notes.postgres.given.add(text)
    return send.call(this, statements)
  }
  process.once('exit', () => {
    const ledger: Ledger = { sqlite: notes.sqlite.statements(), postgres: notes.postgres.statements() }
    // A run starts so many processes that the system gives the number of an ended one again.
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(ledger))
  })
}

/** What one database was given. */
class Notes {
  readonly given = new Set<string>()
  /** By text. A statement is compiled where it is made, and runs later, when nobody can tell any more who made it. */
  readonly #makers = new Map<string, string>()

  constructor({ prototype }: typeof SqliteQueryCompiler | typeof PostgresQueryCompiler) {
    const { compileQuery } = prototype
    const makers = this.#makers
    prototype.compileQuery = function (this: unknown, ...query: Parameters<typeof compileQuery>): CompiledQuery {
      const compiled = compileQuery.apply(this as SqliteQueryCompiler, query)
      if (!makers.get(compiled.sql)) makers.set(compiled.sql, maker())
      return compiled
    } as typeof compileQuery
  }

  statements(): Statements {
    const found: Record<string, string> = {}
    for (const text of this.given) if (isOfRows(text)) found[form(text)] ||= this.#makers.get(text) ?? ''
    return found
  }
}

/** Files that build, pass on or watch statements of others. */
const between =
  /^(src\/kernel\/data\/[\w-]+\.ts|src\/kernel\/process\/at-once\.ts|test\/kit\/database\/watched-database\.ts|test\/run\/ledger\.ts):/
/** Files of src that are no part of the program. */
const ofTests = /(\.test|\/proof)\.ts:/

/** Frames of this tree, wherever it is. */
const ownFrames = new RegExp(`${RegExp.escape(new URL('../..', import.meta.url).href)}([\\w/.-]+\\.ts:\\d+)`, 'g')

/** The place in src that makes a statement, such as `src/families/zones/store.ts:12`; an empty text in tests. */
function maker(): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 60
  const { stack = '' } = new Error('a statement')
  Error.stackTraceLimit = stackTraceLimit
  const frames = [...stack.matchAll(ownFrames)].map(([, frame]) => frame!)
  const found =
    frames.find((frame) => !between.test(frame)) ?? frames.findLast((frame) => frame.startsWith('src/')) ?? ''
  return found.startsWith('src/') && !ofTests.test(found) ? found : ''
}

const tables = new Set(schemaTables().map(({ name }) => name))

/** Tells whether a statement reads or writes rows of the schema. */
function isOfRows(text: string): boolean {
  const named = [...text.matchAll(/\b(?:from|into|update|join) "?(\w+)/gi)]
  return /^\s*\(?(select|insert|update|delete|with)\b/i.test(text) && named.some(([, name]) => tables.has(name!))
}

/** A statement in the form that it has on each database, however many values, rows or alike parts it is given. */
export function form(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('"', '')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/cast\(\? as bigint\)|\?::\w+(\[\])?/g, '?')
    .replaceAll(' as bigint)', ' as integer)')
    .replaceAll(/string_agg\(cast\((\w+) as text\)/g, 'string_agg($1')
    .replaceAll(/wolke_now\(\)|\(extract\(epoch from clock_timestamp\(\)\) \* 1000\)::bigint/g, 'now')
    .replaceAll(/ for (no key update|share|update)( of \w+)?( skip locked)?/g, '')
    .replaceAll(/\blimit \d+/g, 'limit ?')
    .replaceAll(/\([?, ]+\)/g, '(?)')
    .replaceAll(/\(\?\)(, \(\?\))+/g, '(?)')
    .replace(/( values (\(.+?\)))(, \2)+(?= on | returning |$)/, '$1')
    .replaceAll(/(select (?:(?! union all ).)+)(?: union all \1)+/g, '$1 union all $1')
    .trim()
}

/** A statement of the program with a part that only one database was given. */
interface Finding {
  readonly engine: EngineName
  readonly part: string
  readonly statement: string
  readonly made: string
}

/**
 * What keeps the ledgers in a folder from showing that each database accepts the statements of the program: those that one
 * database alone was given, and exemptions that exempt nothing. One text of a few lines for each.
 */
export function judgeLedger(folder: string, exempt: readonly Exemption[] = exemptions): readonly string[] {
  const whole = readLedgers(folder)
  const found = [...alone(whole, 'sqlite', 'postgres'), ...alone(whole, 'postgres', 'sqlite')]
  const isOf = ({ engine, file, parts }: Exemption, finding: Finding) =>
    engine === finding.engine && finding.made.startsWith(`${file}:`) && parts.test(finding.part)
  const left = found.filter((finding) => !exempt.some((exemption) => isOf(exemption, finding)))
  const idle = exempt.filter((exemption) => !found.some((finding) => isOf(exemption, finding)))
  const byStatement = Map.groupBy(left, ({ engine, made, statement }) => `${made} gives ${engine} alone: ${statement}`)
  return [
    ...[...byStatement].map(([what, findings]) =>
      [what, ...findings.map(({ part }) => `of which the other one was not given: ${part}`)].join('\n  '),
    ),
    ...idle.map(({ file, parts }) => `test/run/ledger.ts exempts nothing of ${file} by ${parts}`),
  ]
}

type Made = Pick<Finding, 'statement' | 'made'>
type Parts = ReadonlyMap<string, readonly Made[]>

/** The parts of the statements that each database was given, with those statements. */
function readLedgers(folder: string): Readonly<Record<EngineName, Parts>> {
  const ledgers = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Ledger)
  const partsFor = (engine: EngineName): Parts => {
    const makers = new Map<string, string>()
    for (const ledger of ledgers)
      for (const [statement, made] of Object.entries(ledger[engine]))
        makers.set(statement, made || makers.get(statement) || '')
    const parts = new Map<string, Made[]>()
    for (const [statement, made] of makers)
      for (const part of partsOf(statement)) {
        const all = parts.get(part) ?? []
        all.push({ statement, made })
        parts.set(part, all)
      }
    return parts
  }
  return { sqlite: partsFor('sqlite'), postgres: partsFor('postgres') }
}

/** What the program gave to one database alone. */
function alone(whole: Readonly<Record<EngineName, Parts>>, engine: EngineName, other: EngineName): readonly Finding[] {
  return [...whole[engine]]
    .filter(([part]) => !whole[other].has(part))
    .flatMap(([part, all]) => all.map((one) => ({ engine, part, ...one })))
    .filter(({ made }) => made !== '')
}
