/** Name, labels, protection, and the end of the server. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi, useOutdate } from '../../../api/api.ts'
import { useSend } from '../../../api/use-send.ts'
import { Commands } from '../../../shell/commands.tsx'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Check } from '../../../ui/check.tsx'
import { sent } from '../../../ui/dialog.tsx'
import { FailureNote } from '../../../ui/failure.tsx'
import { TextField } from '../../../ui/field.tsx'
import { LabelsField } from '../../../ui/labels-field.tsx'
import { Columns } from '../../../ui/page.tsx'
import { common } from '../../../words/en/common.ts'
import { server as english } from '../../../words/en/server.ts'
import { servers } from '../../../words/en/servers.ts'
import { wordsOf } from '../../../words/words.ts'
import { useServerActs } from '../acts.tsx'
import type { TabProps } from '../detail.tsx'

const w = wordsOf('server', english).settings
const s = wordsOf('servers', servers)
const c = wordsOf('common', common)

export function SettingsTab({ server, action }: TabProps) {
  const api = useApi()
  const outdate = useOutdate()
  const acts = useServerActs()
  const navigate = useNavigate()
  const [name, setName] = useState(server.name)
  const [labels, setLabels] = useState(server.labels)
  const update = useSend('servers_update')
  const protect = useSend('servers_changeProtection')
  const reason = useReason('servers_update')
  const mayProtect = useReason('servers_changeProtection')
  const mayDelete = useReason('servers_remove')
  const { id, protection } = server
  const request = { params: { id }, body: { name, labels: { ...labels } } }

  const save = async () => {
    if (await update.send(request)) await outdate('servers')
  }
  const change = async (body: { delete?: boolean; rebuild?: boolean }) => {
    if (await protect.send({ params: { id }, body })) await outdate('servers')
  }
  const back = () => void navigate({ to: '/projects/$project/servers', params: { project: String(api.project) } })
  return (
    <Columns aside={<Commands request={{ operation: 'servers_update', ...request }} labels={server.labels} />}>
      <Card title={`${c.name}, ${c.labels}`} padded>
        <form className="stack" onSubmit={sent(() => void save())} noValidate>
          <TextField label={w.name} isMono value={name} problems={update.problemsOf('name')} onChange={setName} />
          <LabelsField value={labels} problems={update.problemsOf('labels')} onChange={setLabels} />
          {update.failureBesides(['name', 'labels']) && <FailureNote cause={update.failure} />}
          <p>
            <Button type="submit" look="primary" isBusy={update.isBusy} reason={reason}>
              {c.save}
            </Button>
          </p>
        </form>
      </Card>
      <Card title={w.protection} padded>
        <Check
          kind="switch"
          checked={protection.delete}
          disabled={mayProtect !== undefined}
          onChange={(on) => void change({ delete: on })}
        >
          {w.protectDelete}
        </Check>
        <Check
          kind="switch"
          checked={protection.rebuild}
          disabled={mayProtect !== undefined}
          onChange={(on) => void change({ rebuild: on })}
        >
          {w.protectRebuild}
        </Check>
        {mayProtect && <p className="faint">{mayProtect}</p>}
        {protect.failure && <FailureNote cause={protect.failure} />}
      </Card>
      <Card title={w.delete} padded>
        <p className="dim">{w.deleteText}</p>
        <p>
          <Button
            look="danger"
            icon="trash"
            reason={mayDelete ?? (protection.delete ? s.protected : action ? s.isBusy : undefined)}
            onClick={() => acts.ask({ kind: 'delete', servers: [server], done: back })}
          >
            {s.deleteAct(1)}
          </Button>
        </p>
      </Card>
      {acts.dialogs}
    </Columns>
  )
}
