/** The health of the process and its database, the queues, and the last runs of background jobs. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Halves, PageHead } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { admin } from '../../words/admin.ts'
import { common as c } from '../../words/common.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { AdminTabs } from './frame.tsx'

const w = admin.health
const api = apiOf(undefined)
const everyMs = 10_000

const megabytes = (size: number) => `${number(Math.round(size / 100_000) / 10)} MB`

type Health = ReplyFor<'management_getHealth'>['health']
type Job = Health['jobs'][number]

export function HealthPage() {
  const { data, dataUpdatedAt } = useSuspenseQuery({
    ...api.query('management_getHealth', {}),
    refetchInterval: everyMs,
  })
  const { health } = data
  return (
    <>
      <PageHead
        title={w.title}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(dataUpdatedAt))}</span>
            <CommandsButton request={{ operation: 'management_getHealth' }} />
          </>
        }
      />
      <AdminTabs current="health" />
      <Halves>
        <ProcessCard health={health} />
        <DatabaseCard database={health.database} />
      </Halves>
      <section className="stack" aria-label={w.queues}>
        <h2>{w.queues}</h2>
        <ListFrame>
          <Table
            caption={w.queues}
            columns={queueColumns}
            rows={Object.entries(health.queues).map(([name, queue], id) => ({ id, name, ...queue }))}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            isTight
          />
        </ListFrame>
      </section>
      <section className="stack" aria-label={w.jobs}>
        <h2>{w.jobs}</h2>
        <p className="dim">{w.ofProcess}</p>
        <ListFrame>
          <Table
            caption={w.jobs}
            columns={jobColumns}
            rows={health.jobs.map((job, id) => ({ ...job, id }))}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            isTight
          />
        </ListFrame>
      </section>
    </>
  )
}

function ProcessCard({ health: { version, runtime, started, memory } }: { readonly health: Health }) {
  return (
    <Card title={w.process} padded>
      <Facts
        rows={[
          [w.version, version],
          [w.runtime, runtime],
          [w.started, <Ago key="started" time={started} />],
          [w.memory, megabytes(memory)],
        ]}
      />
    </Card>
  )
}

function DatabaseCard({ database }: { readonly database: Health['database'] }) {
  const { kind, location, size, latency, reads, writes, state } = database
  const works = (is: 'ok' | 'failing') => <State mood={is === 'ok' ? 'ok' : 'bad'}>{w.works[is]}</State>
  return (
    <Card title={w.database} padded>
      <Facts
        rows={[
          [w.kind, kind],
          [
            w.location,
            <span key="location" className="mono">
              {location}
            </span>,
          ],
          [w.size, size === null ? w.unknown : megabytes(size)],
          [w.latency, latency === null ? w.unknown : w.milliseconds(number(latency))],
          [w.reads, works(reads)],
          [w.writes, works(writes)],
          [
            w.state,
            <State key="state" mood={state === 'ok' ? 'ok' : 'bad'}>
              {w.states[state]}
            </State>,
          ],
        ]}
      />
    </Card>
  )
}

/** `servers: start backups`, from the name of the function. */
const inWords = (name: string) => name.replaceAll('_', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

interface Queue {
  readonly id: number
  readonly name: string
  readonly waiting: number
  readonly oldest: string | null
}

const queueColumns: readonly Column<Queue>[] = [
  {
    key: 'queue',
    label: w.queue,
    card: 'key',
    cell: ({ name }) => <span className={nameClass}>{w.queueNames[name as keyof typeof w.queueNames]}</span>,
  },
  { key: 'open', label: w.open, card: 'stat', isEnd: true, cell: ({ waiting }) => number(waiting) },
  { key: 'oldest', label: w.oldest, isEnd: true, cell: ({ oldest }) => (oldest ? <Ago time={oldest} /> : <None />) },
]

const jobColumns: readonly Column<Job & { readonly id: number }>[] = [
  { key: 'job', label: w.job, card: 'key', cell: ({ name }) => <span className={nameClass}>{inWords(name)}</span> },
  {
    key: 'outcome',
    label: w.outcome,
    card: 'stat',
    cell: ({ last_run: ran, failed }) =>
      ran === null ? (
        <State mood="unknown">{w.outcomes.never}</State>
      ) : (
        <State mood={failed ? 'bad' : 'ok'}>{failed ? w.outcomes.failed : w.outcomes.ok}</State>
      ),
  },
  {
    key: 'took',
    label: w.took,
    rank: 2,
    isEnd: true,
    cell: ({ took }) => (took === null ? <None /> : w.milliseconds(number(took))),
  },
  {
    key: 'ran',
    label: w.lastRun,
    isEnd: true,
    isNarrow: true,
    cell: ({ last_run: ran }) => (ran ? <Ago time={ran} /> : <None />),
  },
]
