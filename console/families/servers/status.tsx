/** The state of a server; while an action runs on it, with its progress. */
import { useRunning } from '../../api/actions.ts'
import { Progress } from '../../ui/progress.tsx'
import { State } from '../../ui/state.tsx'
import { workClass } from '../../ui/table.tsx'
import { percent } from '../../words/format.ts'
import { moodOf, type Server } from './server.ts'
import { servers as w } from './words.ts'

const powers: Readonly<Record<string, Server['status']>> = {
  start_server: 'starting',
  stop_server: 'stopping',
  shutdown_server: 'stopping',
}

/** Names what happens to a server: a lasting state says nothing of a running action. */
function workOf({ status }: Server, command: string): string {
  if (status !== 'off' && status !== 'running') return w.statuses[status]
  const coming = powers[command]
  return coming ? w.statuses[coming] : w.changing
}

export function ServerStatus({ server }: { readonly server: Server }) {
  const action = useRunning('server', server.id)
  const mood = moodOf(server)
  if (!action) return <State mood={mood}>{w.statuses[server.status]}</State>
  const text = workOf(server, action.command)
  return (
    <span className={workClass}>
      <State mood={mood} progress={action.progress}>
        {text} <span className="faint num">{percent(action.progress)}</span>
      </State>
      <Progress value={action.progress} label={w.progress(server.name, text)} />
    </span>
  )
}
