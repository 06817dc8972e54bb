/** Invites somebody: by mail, or by a link that is shown once where there is no mail server. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { access } from '../../words/access.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { isAddress, MailField } from '../shared/mail-field.tsx'
import { type GivenRole, RolesField } from './roles-field.tsx'

const w = access.members

interface InviteDialogProps {
  readonly project: string
  readonly onInvited: (made: ReplyFor<'people_invite'>) => void
  readonly onClose: () => void
}

export function InviteDialog({ project, onInvited, onClose }: InviteDialogProps) {
  const api = useApi()
  const [email, setEmail] = useState('')
  const [role, choose] = useState<GivenRole>('member')
  const params = { project_id: api.project ?? 0 }
  const body = { email: email.trim(), role }
  return (
    <FormDialog
      title={w.inviteTitle}
      text={w.inviteText(project)}
      act={w.inviteAct}
      request={{ operation: 'people_invite', params, body }}
      isReady={isAddress(body.email)}
      families={['people']}
      onDone={onInvited}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <MailField label={w.email} value={email} onChange={setEmail} autoFocus problems={problems('email')} />
          <RolesField value={role} onChange={choose} />
        </>
      )}
    </FormDialog>
  )
}
