/** The lab, where the cloud is one: its clock, what happens next, states that are kept, and forks. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { BodyFor, ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Seg } from '../../ui/seg.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { admin } from '../../words/admin.ts'
import { exactTime } from '../../words/format.ts'
import { AdminTabs } from './frame.tsx'
import { type Asked, LabDialogs } from './lab-dialogs.tsx'
import { Forks, Snapshots } from './lab-states.tsx'

const w = admin.lab
const api = apiOf(undefined)
const everyMs = 5_000

type Clock = ReplyFor<'lab_getClock'>['clock']
type Mode = BodyFor<'lab_setClock'>['mode']
type Event = ReplyFor<'lab_listClockEvents'>['events'][number]

const modes: readonly Mode[] = ['running', 'frozen', 'skip']

export function LabPage() {
  const [asked, ask] = useState<Asked>()
  const reason = useReason('lab_reset')
  return (
    <>
      <PageHead
        title={w.title}
        actions={
          <>
            <CommandsButton request={{ operation: 'lab_getClock' }} />
            <ButtonLink look="quiet" icon="report" to="/admin/{-$tab}" params={{ tab: 'report' }}>
              {w.report}
            </ButtonLink>
            <Button look="danger" reason={reason} onClick={() => ask({ kind: 'reset' })}>
              {w.reset}
            </Button>
          </>
        }
      />
      <AdminTabs current="lab" />
      <ClockCard onAdvance={() => ask({ kind: 'advance' })} reason={reason} />
      <Coming />
      <Snapshots ask={ask} reason={reason} />
      <Forks ask={ask} reason={reason} />
      <LabDialogs asked={asked} close={() => ask(undefined)} />
    </>
  )
}

interface ClockCardProps {
  readonly onAdvance: () => void
  readonly reason: string | undefined
}

function ClockCard({ onAdvance, reason }: ClockCardProps) {
  const { data } = useSuspenseQuery({ ...api.query('lab_getClock', {}), refetchInterval: everyMs })
  const { now, mode, next_event: next } = data.clock
  const outdate = useOutdate()
  const choose = (mode: Mode) =>
    void api
      .call('lab_setClock', { body: { mode } })
      .catch((cause: unknown) => tellFailure(cause))
      .then(() => outdate('lab'))
  return (
    <Card
      title={w.clock}
      padded
      end={
        <Button icon="play" reason={reason} onClick={onAdvance}>
          {w.advance}
        </Button>
      }
    >
      <Facts
        rows={[
          [w.now, exactTime(now)],
          [w.next, next ? <NextEvent key="next" {...next} /> : <None key="next" />],
        ]}
      />
      <Seg
        label={w.mode}
        value={mode}
        options={modes.map((value) => ({ value, label: w.modes[value] }))}
        onChange={choose}
      />
      <p className="dim">{w.modeTexts[mode]}</p>
    </Card>
  )
}

function NextEvent({ time, event }: NonNullable<Clock['next_event']>) {
  return (
    <>
      {inWords(event)} <span className="dim">{exactTime(time)}</span>
    </>
  )
}

function Coming() {
  const { data } = useSuspenseQuery({ ...api.query('lab_listClockEvents', {}), refetchInterval: everyMs })
  return (
    <section className="stack" aria-label={w.coming}>
      <h2>{w.coming}</h2>
      <ListFrame>
        <Table
          caption={w.coming}
          columns={columns}
          rows={data.events.map((event, id) => ({ ...event, id }))}
          idOf={({ id }) => id}
          nameOf={({ event }) => event}
          isTight
        />
      </ListFrame>
    </section>
  )
}

/** `api change: link header removed`, as the API names events. */
const inWords = (event: string) => event.replaceAll('_', ' ').replaceAll(':', ': ')

const columns: readonly Column<Event & { readonly id: number }>[] = [
  { key: 'time', label: w.time, card: 'sub', isNarrow: true, cell: ({ time }) => exactTime(time) },
  {
    key: 'event',
    label: w.event,
    card: 'key',
    cell: ({ event }) => <span className={nameClass}>{inWords(event)}</span>,
  },
  {
    key: 'resource',
    label: w.resource,
    card: 'stat',
    cell: ({ resource }) => (resource ? `${inWords(resource.type)} ${resource.id}` : <None />),
  },
]
