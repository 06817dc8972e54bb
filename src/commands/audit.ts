/** `wolke audit` shows who has changed what, and what was refused, also while a server runs. */
import { setTimeout as delay } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { administeredOption } from '../config/config.ts'
import { count } from '../config/dns.ts'
import { parseTime } from '../kernel/audit/contract.ts'
import { type AuditFilter, entriesAfter, newestId, pageOfEntries, passes } from '../kernel/audit/reading.ts'
import type { AuditRow } from '../kernel/audit/tables.ts'
import { entryToWire } from '../kernel/audit/view.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'
import { projectNamed } from './project.ts'

interface Options extends AdministerOptions, ListOptions, Omit<AuditFilter, 'projectId'> {
  readonly project?: string
  readonly limit: number
  readonly follow?: boolean
}

export function auditCommand(administer: Administer): Command {
  return new Command('audit')
    .description(
      'list changes and refused changes, oldest first: ID, time, actor, Project, operation, resources, outcome, network',
    )
    .addOption(administeredOption())
    .addOption(jsonOption())
    .option('--project <name>', 'only of this Project')
    .option('--actor <actor>', 'only by this actor: a kind such as token or person, KIND:ID, or a name')
    .option('--operation <text>', 'only operations that contain this text, such as DELETE or /actions/reboot')
    .option('--family <name>', 'only of this family, such as servers')
    .option('--outcome <outcome>', 'only with this outcome: ok, refused, or an error code')
    .option('--resource <id>', 'only about the resource with this id or name')
    .addOption(new Option('--since <time>', 'only from this time on').argParser(time))
    .addOption(new Option('--until <time>', 'only before this time').argParser(time))
    .addOption(new Option('--limit <n>', 'at most the newest n entries').argParser(count).default(100))
    .option('--follow', 'go on with new entries; with --json each is an object on its own line')
    .action((options: Options) => {
      if (options.follow && options.database.engine === 'running server') {
        throw new CommandFailure('--follow needs a database that is not in the memory of a server', 2)
      }
      return administer(options.database, (db, print) => show(db, print, options))
    })
}

function time(text: string): string {
  const parsed = parseTime(text)
  if (parsed === undefined) throw new InvalidArgumentError('Expected an RFC 3339 time or a date, such as 2026-11-21.')
  return parsed
}

async function show(db: Database, print: Print, options: Options): Promise<void> {
  const { project, limit, follow, json } = options
  const projectId = project === undefined ? undefined : (await projectNamed(db, project)).id
  const filter: AuditFilter = { ...filterIn(options), projectId }
  const last = (await newestId(db.query)) ?? 0
  const there = follow ? await recent(db, last) : []
  const entries = await newest(db, filter, limit)
  if (!follow) return printList(print, entries.map(entryToWire), options, columnsOf)
  const printOne = (row: AuditRow) =>
    print(json ? JSON.stringify(entryToWire(row)) : columnsOf(entryToWire(row)).join('\t'))
  entries.forEach(printOne)
  // An entry written meanwhile is either in the list already, or in neither of the two and shown below.
  const shown = new Set([...there, ...entries].map(({ id }) => id))
  await followFrom(db, last, shown, (row) => {
    if (passes(row, filter)) printOne(row)
  })
}

function filterIn({ actor, operation, family, outcome, resource, since, until }: Options): AuditFilter {
  return { actor, operation, family, outcome, resource, since, until }
}

/** The newest entries, oldest first. */
async function newest(db: Database, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const found: AuditRow[] = []
  for (let before: number | undefined; found.length < limit; ) {
    const { rows, next } = await pageOfEntries(db.query, filter, { before, most: limit - found.length })
    found.push(...rows)
    if (next === null) break
    before = next
  }
  return found.reverse()
}

const pollMs = 500
/** Ids are drawn before their commit, so that an entry may appear after later ones. */
const late = 1_000

/** The entries that came last, and those that came late among them. */
const recent = (db: Database, last: number) => entriesAfter(db.query, last - late, { limit: 10 * late })

/** Uses every entry that is not among those `shown`; never returns. */
async function followFrom(
  db: Database,
  start: number,
  shown: Set<number>,
  use: (row: AuditRow) => void,
): Promise<never> {
  for (let last = start; ; ) {
    for (const row of await recent(db, last)) {
      if (!shown.has(row.id)) use(row)
      shown.add(row.id)
      last = Math.max(last, row.id)
    }
    for (const id of shown) if (id < last - late) shown.delete(id)
    await delay(pollMs)
  }
}

function columnsOf({
  id,
  time,
  actor,
  project,
  operation,
  resources,
  outcome,
  network,
}: ReturnType<typeof entryToWire>) {
  const who = actor.id === null ? `${actor.kind} ${actor.name}` : `${actor.kind}:${actor.id} ${actor.name}`
  return [id, time, who, project?.name ?? '', operation, resources.join(' '), outcome, network]
}
