/** Name, labels, protection, and the end of the server. */
import { useApi } from '../../../api/api.ts'
import { useOutdate } from '../../../api/use-outdate.ts'
import { linkTo } from '../../../families.ts'
import { useRequest } from '../../../pages/shared/submit.ts'
import { Commands } from '../../../shell/commands.tsx'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Check } from '../../../ui/check.tsx'
import { sent } from '../../../ui/dialog-props.ts'
import { Elsewhere } from '../../../ui/elsewhere.tsx'
import { FailureNote } from '../../../ui/failure.tsx'
import { TextField } from '../../../ui/field.tsx'
import { LabelsField } from '../../../ui/labels-field.tsx'
import { useGo } from '../../../ui/link.tsx'
import { Columns } from '../../../ui/page.tsx'
import { useUnsaved } from '../../../ui/unsaved.ts'
import { useDraft } from '../../../ui/use-draft.ts'
import { useSubmit } from '../../../ui/use-submit.ts'
import { common as c } from '../../../words/common.ts'
import { useServerActs } from '../acts.tsx'
import { server as english } from '../detail.words.ts'
import { serverDialogs as d } from '../dialogs.words.ts'
import { servers as s } from '../words.ts'
import type { TabProps } from './tab.ts'

const w = english.settings

export function SettingsTab({ server, action }: TabProps) {
  const api = useApi()
  const outdate = useOutdate()
  const acts = useServerActs()
  const go = useGo()
  const draft = useDraft({ name: server.name, labels: server.labels })
  const { name, labels } = draft.value
  const protect = useSubmit()
  const reason = useReason('servers_update')
  const mayProtect = useReason('servers_changeProtection')
  const mayDelete = useReason('servers_remove')
  const { id, protection } = server
  const request = { operation: 'servers_update', params: { id }, body: { name, labels: { ...labels } } } as const
  const update = useRequest({ request, families: ['servers'], done: () => draft.saved(draft.value) })
  useUnsaved(draft.isDirty && !update.isBusy)
  const change = (body: { delete?: boolean; rebuild?: boolean }) =>
    void protect.run(async () => {
      await api.call('servers_changeProtection', { params: { id }, body })
      await outdate('servers')
    })
  const back = () => void go(linkTo('servers', 'list'))
  return (
    <Columns aside={<Commands request={request} labels={server.labels} />}>
      <Card title={`${c.name}, ${c.labels}`} padded>
        <form className="stack" onSubmit={sent(() => reason === undefined && update.send())} noValidate>
          <TextField
            label={w.name}
            isMono
            value={name}
            problems={update.problems('name')}
            onChange={(name) => draft.change({ name })}
          />
          <LabelsField
            value={labels}
            problems={update.problems('labels')}
            isFixed={reason !== undefined}
            onChange={(labels) => draft.change({ labels })}
          />
          <Elsewhere {...draft} />
          {update.cause !== undefined && <FailureNote cause={update.cause} />}
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
          aside={mayProtect}
          onChange={(on) => change({ delete: on })}
        >
          {w.protectDelete}
        </Check>
        <Check
          kind="switch"
          checked={protection.rebuild}
          disabled={mayProtect !== undefined}
          aside={mayProtect}
          onChange={(on) => change({ rebuild: on })}
        >
          {w.protectRebuild}
        </Check>
        {protect.cause !== undefined && <FailureNote cause={protect.cause} />}
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
            {d.deleteAct(1)}
          </Button>
        </p>
      </Card>
      {acts.dialogs}
    </Columns>
  )
}
