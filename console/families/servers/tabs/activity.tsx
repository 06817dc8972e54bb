/** Lists the actions of the server. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Action } from '../../../api/actions.ts'
import { useApi } from '../../../api/api.ts'
import { commandName } from '../../../lib/action-names.ts'
import { WhyFailed } from '../../../pages/shared/why-failed.tsx'
import { Note } from '../../../ui/note.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { State } from '../../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../../ui/table.tsx'
import { Ago } from '../../../ui/time.tsx'
import { span } from '../../../words/format.ts'
import { server as english } from '../detail.words.ts'
import type { TabProps } from './tab.ts'

const w = english.activity
const moods = { running: 'busy', success: 'ok', error: 'bad' } as const

export function ActivityTab({ server }: TabProps) {
  const api = useApi()
  const { data: actions } = useSuspenseQuery(
    api.list('servers_listActions', { params: { id: server.id }, query: { sort: 'id:desc' } }),
  )
  if (actions.length === 0) return <p className="dim">{w.none}</p>
  return (
    <ListFrame>
      <Table
        caption={w.caption(server.name)}
        columns={columns}
        rows={actions}
        idOf={({ id }) => id}
        nameOf={({ command }) => commandName(command)}
        why={why}
        isTight
      />
    </ListFrame>
  )
}

const columns: readonly Column<Action>[] = [
  {
    key: 'command',
    label: w.command,
    card: 'key',
    cell: ({ command }) => (
      <>
        <span className={nameClass}>{commandName(command)}</span>
        <small className="mono">{command}</small>
      </>
    ),
  },
  {
    key: 'status',
    label: w.status,
    card: 'stat',
    cell: ({ status, progress, command }) => (
      <State mood={moods[status]} progress={progress}>
        {w.statuses[status]}
        {status === 'running' && <Progress value={progress} label={commandName(command)} />}
      </State>
    ),
  },
  { key: 'started', label: w.started, card: 'sub', isNarrow: true, cell: ({ started }) => <Ago time={started} /> },
  {
    key: 'duration',
    label: w.duration,
    isEnd: true,
    cell: ({ started, finished }) => (finished ? span(Date.parse(finished) - Date.parse(started)) : ''),
  },
]

function why({ error }: Action): ReactNode {
  if (!error) return undefined
  return (
    <Note mood="bad" sign={false}>
      <WhyFailed error={error} />
    </Note>
  )
}
