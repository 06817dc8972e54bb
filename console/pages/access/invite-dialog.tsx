/** Invites somebody: by mail, or by a link that is shown once where there is no mail server. */
import { useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import type { InputOf, ReplyFor } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { access } from '../../words/en/access.ts'
import { common } from '../../words/en/common.ts'
import { wordsOf } from '../../words/words.ts'
import { type GivenRole, RolesField } from './roles-field.tsx'

const w = wordsOf('access', access).members
const c = wordsOf('common', common)

export function InviteDialog({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const api = useApi()
  const outdate = useOutdate()
  const submit = useSubmit()
  const [email, setEmail] = useState('')
  const [role, choose] = useState<GivenRole>('member')
  const [made, setMade] = useState<ReplyFor<'people_invite'>>()
  const input: InputOf<'people_invite'> = {
    params: { project_id: api.project ?? 0 },
    body: { email: email.trim(), role },
  }
  const isReady = /^[^@\s]+@[^@\s]+$/.test(email.trim())
  const invite = () =>
    submit.run(async () => {
      setMade(await api.call('people_invite', input))
      await outdate('people')
    })
  if (made) return <Invited made={made} onClose={onClose} />
  return (
    <Dialog
      title={w.inviteTitle}
      text={w.inviteText(project)}
      onClose={onClose}
      onSubmit={() => void (isReady && invite())}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!isReady}>
            {w.inviteAct}
          </Button>
        </span>
      }
    >
      <TextField
        label={w.email}
        type="email"
        value={email}
        onChange={setEmail}
        maxLength={254}
        autoFocus
        problems={submit.problemsOf('email')}
      />
      <RolesField value={role} onChange={choose} />
      {submit.cause !== undefined && !submit.problemsOf('email') && <FailureNote cause={submit.cause} />}
      <Commands request={{ operation: 'people_invite', ...input }} />
    </Dialog>
  )
}

function Invited({
  made: { invitation, link },
  onClose,
}: {
  readonly made: ReplyFor<'people_invite'>
  readonly onClose: () => void
}) {
  return (
    <Dialog
      title={w.sentTitle(invitation.email)}
      text={link === null ? w.sent(invitation.email) : w.linkText}
      isLeavable={link === null}
      onClose={onClose}
      footer={
        <span className="end">
          <Button look="primary" onClick={onClose} autoFocus>
            {w.done}
          </Button>
        </span>
      }
    >
      {link !== null && <CommandLine text={link} />}
    </Dialog>
  )
}
