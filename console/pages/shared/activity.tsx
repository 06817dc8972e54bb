/** The actions of one resource, newest first. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Action } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import type { OperationId } from '../../api/operations.ts'
import { commandName } from '../../lib/action-names.ts'
import { Progress } from '../../ui/progress.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table, workClass } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { percent, span } from '../../words/format.ts'
import { resources as w } from '../../words/resources.ts'
import { WhyFailed } from './why-failed.tsx'

const moods: Readonly<Record<Action['status'], Mood>> = { running: 'busy', success: 'ok', error: 'bad' }

type ActionList = Extract<OperationId, `${string}_listActions`>

interface ActivityProps {
  readonly operation: Exclude<ActionList, 'zones_listActions'>
  readonly id: number
  readonly name: string
}

export function ActivityTab({ operation, id, name }: ActivityProps) {
  const api = useApi()
  const { data } = useSuspenseQuery(
    api.query(operation, { params: { id }, query: { sort: ['started:desc', 'id:desc'], per_page: 50 } }),
  )
  const { actions } = data as { readonly actions: readonly Action[] }
  if (actions.length === 0) return <p className="dim">{w.noActivity}</p>
  return (
    <ListFrame>
      <Table
        caption={w.activityCaption(name)}
        columns={columns}
        rows={actions}
        idOf={(action) => action.id}
        nameOf={({ command }) => commandName(command)}
        why={({ error }) =>
          error && (
            <span className="dim">
              <WhyFailed error={error} />
            </span>
          )
        }
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
    label: w.state,
    card: 'stat',
    cell: ({ status, progress, command }) =>
      status === 'running' ? (
        <span className={workClass}>
          <State mood="busy" progress={progress}>
            {w.statuses.running} <span className="faint num">{percent(progress)}</span>
          </State>
          <Progress value={progress} label={commandName(command)} />
        </span>
      ) : (
        <State mood={moods[status]}>{w.statuses[status]}</State>
      ),
  },
  { key: 'started', label: w.started, card: 'sub', cell: ({ started }) => <Ago time={started} /> },
  {
    key: 'took',
    label: w.took,
    isEnd: true,
    rank: 2,
    cell: ({ started, finished }) => (finished ? span(Date.parse(finished) - Date.parse(started)) : ''),
  },
  { key: 'id', label: 'ID', isEnd: true, isMono: true, rank: 2, cell: ({ id }) => <span className="dim">{id}</span> },
]
