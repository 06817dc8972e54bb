/** The settings of a Project: its name, who gets its mail, limits, prices, and its end. */

import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { AnyRequest, ApiRequest, ReplyFor } from '../../api/operations.ts'
import { outdate } from '../../api/outdate.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { PriceCard } from '../../families/pricing/card.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { access } from '../../words/access.ts'
import { number } from '../../words/format.ts'
import { forms as f } from '../../words/forms.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { Equivalents } from '../shared/equivalents.tsx'
import { kindName } from '../shared/kinds.ts'
import { MailField } from '../shared/mail-field.tsx'
import { perform } from '../shared/submit.ts'
import { LimitsCard } from './limits.tsx'

const w = access.settings

type Project = ReplyFor<'management_getProject'>['project']

export function SettingsPage() {
  const api = useApi()
  const params = { project_id: api.project ?? 0 }
  const { data } = useSuspenseQuery(api.query('management_getProject', { params }))
  return (
    <>
      <PageHead
        title={w.title}
        facts={<Copyable text={String(data.project.id)} />}
        actions={<CommandsButton request={{ operation: 'management_getProject', params }} />}
      />
      <Columns aside={<PriceCard />} label={w.prices}>
        <General key={data.project.id} project={data.project} />
        <LimitsCard />
        <Danger project={data.project} />
      </Columns>
    </>
  )
}

function General({ project }: { readonly project: Project }) {
  const api = useApi()
  const outdate = useOutdate()
  const submit = useSubmit()
  const reason = useReason('management_updateProject')
  const draft = useDraft({ name: project.name, email: project.owner_email ?? '' })
  const { name, email } = draft.value
  useUnsaved(draft.isDirty && !submit.isBusy)
  const request: ApiRequest<'management_updateProject'> = {
    operation: 'management_updateProject',
    params: { project_id: project.id },
    body: { name: name.trim(), owner_email: email.trim() || null },
  }
  const save = async () => {
    const isSaved = await submit.run(async () => {
      await perform(api, request)
      draft.saved(draft.value)
      await outdate('management')
    })
    if (isSaved) toast({ mood: 'ok', title: w.saved })
  }
  return (
    <form onSubmit={sent(() => void (reason === undefined && name.trim() !== '' && save()))} noValidate>
      <Card
        title={w.general}
        padded
        footer={
          <Button
            type="submit"
            look="primary"
            isBusy={submit.isBusy}
            reason={reason ?? (name.trim() === '' ? f.missing : undefined)}
          >
            {w.save}
          </Button>
        }
      >
        <TextField
          label={w.name}
          value={name}
          onChange={(name) => draft.change({ name })}
          maxLength={128}
          readOnly={reason !== undefined}
          problems={submit.problemsOf('name')}
        />
        <MailField
          label={w.ownerEmail}
          hint={w.ownerEmailHint}
          value={email}
          onChange={(email) => draft.change({ email })}
          readOnly={reason !== undefined}
          problems={submit.problemsOf('owner_email')}
        />
        <Elsewhere {...draft} />
        {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
        {draft.isDirty && <Equivalents request={request as AnyRequest} />}
      </Card>
    </form>
  )
}

function Danger({ project }: { readonly project: Project }) {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, ask] = useState(false)
  const reason = useReason('management_deleteProject')
  const left = Object.entries(project.resources).filter(([, count]) => count > 0)
  const leave = async () => {
    // What was read of the Project itself is gone with it.
    await outdate(cache, undefined, [['management']])
    await navigate({ to: '/' })
  }
  return (
    <Card
      title={w.danger}
      footer={
        <Button
          look="danger"
          icon="trash"
          reason={reason ?? (left.length > 0 ? w.notEmpty : undefined)}
          onClick={() => ask(true)}
        >
          {w.delete}
        </Button>
      }
    >
      <List>
        <li className="dim">{left.length === 0 ? w.empty : w.leftText}</li>
        {left.map(([kind, count]) => (
          <li key={kind}>
            <span>{kindName(kind)}</span>
            <span className="end num">{number(count)}</span>
          </li>
        ))}
      </List>
      {isAsking && (
        <ConfirmRequest
          title={w.deleteTitle(project.name)}
          text={w.deleteText}
          act={w.delete}
          word={project.name}
          request={{ operation: 'management_deleteProject', params: { project_id: project.id } }}
          families={[]}
          done={leave}
          onClose={() => ask(false)}
        />
      )}
    </Card>
  )
}
