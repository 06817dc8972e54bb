/** What a report found, part by part. Parts in which there is nothing are left out: the verdict names them. */
import type { ReactNode } from 'react'
import { chargedIn } from '../../families/pricing/lines.ts'
import { familyOfType, pageOf } from '../../families.ts'
import { commandName } from '../../lib/action-names.ts'
import { capital, typeName } from '../../lib/api-names.ts'
import { money } from '../../lib/money.ts'
import { Link } from '../../ui/link.tsx'
import { Breakable } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { date, exactTime, number } from '../../words/format.ts'
import { report as w } from '../../words/report.ts'
import type { Report } from './report-data.ts'
import { anchorOf, isOver, type Part } from './verdict.tsx'

export function Findings({ report }: { readonly report: Report }) {
  const { cost, run } = report
  const inMoney = (amount: string) => money(amount, cost.currency, 4)
  const { sum, lines: charged } = chargedIn(cost)
  const ledger = charged.map((line) => ({ ...line, amount: inMoney(line.amount), hourly: inMoney(line.hourly) }))
  return (
    <>
      <Found part="leftovers" title={w.leftovers} rows={report.leftovers} columns={leftovers} nameOf={nameOf} />
      <Found
        part="deprecations"
        title={w.deprecations}
        rows={report.deprecations.map((one) => ({ ...one, isOver: isOver(one, run) }))}
        columns={deprecations}
        nameOf={({ operation }) => operation}
      />
      <Found
        part="unknown"
        title={w.unknown}
        rows={report.unknown_fields}
        columns={unknown}
        nameOf={({ field }) => field}
      />
      <Found
        part="unawaited"
        title={w.unawaited}
        rows={report.unawaited_actions}
        columns={unawaited}
        nameOf={({ command }) => command}
      />
      <Found
        part="retries"
        title={w.retries}
        rows={report.retries}
        columns={retries}
        nameOf={({ operation }) => operation}
      />
      <Found part="pages" title={w.pages} rows={report.unfollowed_pages} columns={pages} nameOf={({ list }) => list} />
      <Found
        part="operations"
        title={w.operations}
        rows={report.operations}
        columns={operations}
        nameOf={({ operation }) => operation}
      />
      <Found
        part="ledger"
        title={w.ledger}
        text={w.ledgerText}
        rows={ledger}
        columns={lines}
        nameOf={nameOf}
        end={<b className="right num">{w.sum(inMoney(sum))}</b>}
      />
    </>
  )
}

interface FoundProps<Row> {
  readonly part: Part
  readonly title: string
  readonly text?: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row & Numbered>[]
  readonly nameOf: (row: Row) => string
  readonly end?: ReactNode
}

interface Numbered {
  /** The place of a row in its list. */
  readonly row: number
}

function Found<Row>({ part, title, text, rows, columns, nameOf, end }: FoundProps<Row>) {
  if (rows.length === 0) return null
  return (
    <section className="stack" id={anchorOf(part)} tabIndex={-1} aria-label={title}>
      <h2>{title}</h2>
      {text && <p className="dim">{text}</p>}
      <ListFrame>
        <Table
          caption={title}
          columns={columns}
          rows={rows.map((one, row) => ({ ...one, row }))}
          idOf={({ row }) => row}
          nameOf={nameOf}
          isTight
        />
      </ListFrame>
      {end}
    </section>
  )
}

interface Resource {
  readonly type: string
  readonly id: number
  readonly name: string | null
  readonly project: number
}

const nameOf = ({ id, name }: Resource) => name ?? String(id)

/** A resource, with the way to its page where it has one. */
function ResourceName(resource: Resource) {
  const { type, id, project } = resource
  const family = familyOfType(type)
  const name = nameOf(resource)
  if (!family) return <span className={nameClass}>{name}</span>
  const { params, ...page } = pageOf(family, { id, name })
  return (
    <Link {...page} params={{ ...params, project }} className={nameClass}>
      <Breakable text={name} />
    </Link>
  )
}

type Row<Key extends keyof Report> = Report[Key] extends readonly (infer One)[] ? One & Numbered : never

/** Columns that several parts have. */
function operationColumn<One extends { readonly operation: string }>(card: 'key' | 'sub' = 'key'): Column<One> {
  return {
    key: 'operation',
    label: w.operation,
    card,
    cell: ({ operation }) => (
      <span className={card === 'key' ? `${nameClass} mono` : 'mono'}>
        <Breakable text={operation} />
      </span>
    ),
  }
}

const times: Column<{ readonly count: number }> = {
  key: 'count',
  label: w.count,
  isEnd: true,
  isNarrow: true,
  card: 'time',
  cell: ({ count }) => number(count),
}

const leftovers: readonly Column<Row<'leftovers'>>[] = [
  { key: 'name', label: w.resource, card: 'key', cell: ResourceName },
  { key: 'type', label: w.type, card: 'sub', cell: ({ type }) => capital(typeName(type)) },
  {
    key: 'created',
    label: w.created,
    card: 'time',
    isEnd: true,
    isNarrow: true,
    cell: ({ created }) => exactTime(created),
  },
]

type Deprecation = Row<'deprecations'> & { readonly isOver: boolean }

const deprecations: readonly Column<Deprecation>[] = [
  { key: 'what', label: w.what, card: 'key', cell: (row) => <Deprecated {...row} /> },
  operationColumn('sub'),
  { key: 'stops', label: w.stops, card: 'stat', isNarrow: true, cell: (row) => <Stops {...row} /> },
  times,
]

const day = (time: string) => date(time, { dateStyle: 'medium' })

function Deprecated({ field, value, summary, since }: Deprecation) {
  if (value === null) return <span lang="en">{field === null ? summary : `${field}: ${summary}`}</span>
  return (
    <>
      <span className={nameClass}>{w.inField(value, field ?? '')}</span>{' '}
      {since && <span className="faint">{w.since(day(since))}</span>}
    </>
  )
}

function Stops({ stops, isOver }: Deprecation) {
  if (stops === null) return <span className="dim">{w.never}</span>
  return <State mood={isOver ? 'bad' : 'warn'}>{isOver ? w.stopped(day(stops)) : day(stops)}</State>
}

const unknown: readonly Column<Row<'unknown_fields'>>[] = [
  {
    key: 'field',
    label: w.field,
    card: 'key',
    cell: ({ field }) => (
      <span className={`${nameClass} mono`}>
        <Breakable text={field} />
      </span>
    ),
  },
  operationColumn('sub'),
  { key: 'place', label: w.place, card: 'stat', cell: ({ place }) => w.places[place] },
  times,
]

const unawaited: readonly Column<Row<'unawaited_actions'>>[] = [
  {
    key: 'action',
    label: w.action,
    card: 'key',
    cell: ({ command }) => <span className={nameClass}>{commandName(command)}</span>,
  },
  operationColumn('sub'),
  { key: 'id', label: 'ID', card: 'time', isEnd: true, isMono: true, cell: ({ id }) => id },
]

const retries: readonly Column<Row<'retries'>>[] = [
  operationColumn(),
  { key: 'after', label: w.after, card: 'sub', cell: ({ code }) => (code === 'lost' ? w.lostAnswer : code) },
  {
    key: 'pause',
    label: w.pause,
    card: 'stat',
    cell: ({ back_off: hasBackOff, pause }) => (
      <State mood={hasBackOff === null ? 'unknown' : hasBackOff ? 'ok' : 'bad'}>{w.pauses[pause]}</State>
    ),
  },
  times,
]

const pages: readonly Column<Row<'unfollowed_pages'>>[] = [
  {
    key: 'list',
    label: w.list,
    card: 'key',
    cell: ({ list }) => (
      <span className={`${nameClass} mono`}>
        <Breakable text={list} />
      </span>
    ),
  },
  { key: 'page', label: w.nextPage, card: 'stat', isEnd: true, cell: ({ next_page: next }) => number(next) },
]

const operations: readonly Column<Row<'operations'>>[] = [
  operationColumn(),
  { key: 'answer', label: w.answer, card: 'stat', cell: (row) => <Answer {...row} /> },
  times,
]

function Answer({ status, code, injected, lost }: Row<'operations'>) {
  const isFine = status < 400 && !lost
  const said = [code ?? String(status), ...(lost ? [w.answerLost] : [])].join(', ')
  return (
    <>
      {isFine ? said : <State mood={lost ? 'bad' : 'warn'}>{code === null ? said : `${status} ${said}`}</State>}
      {injected !== null && <span className="faint"> {w.injected(injected)}</span>}
    </>
  )
}

interface Priced {
  readonly amount: string
  readonly hourly: string
}

const lines: readonly Column<Report['cost']['lines'][number] & Numbered & Priced>[] = [
  { key: 'name', label: w.resource, card: 'key', cell: ResourceName },
  { key: 'type', label: w.type, card: 'sub', cell: ({ type }) => capital(typeName(type)) },
  {
    key: 'part',
    label: w.part,
    rank: 2,
    cell: ({ part }) => (part === null ? <None /> : part === 'backups' ? w.backups : part),
  },
  { key: 'hours', label: w.hours, rank: 2, isEnd: true, cell: ({ hours }) => number(hours) },
  { key: 'hourly', label: w.anHour, rank: 3, isEnd: true, cell: ({ hourly }) => hourly },
  { key: 'net', label: w.charged, card: 'time', isEnd: true, isNarrow: true, cell: ({ amount }) => amount },
]
