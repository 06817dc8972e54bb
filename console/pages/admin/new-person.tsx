/** Creates a person. The link with which they come in is shown in the dialog that follows. */
import { useState } from 'react'
import type { ReplyFor } from '../../api/operations.ts'
import { Check } from '../../ui/check.tsx'
import { TextField } from '../../ui/field.tsx'
import { admin } from '../../words/admin.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { isAddress, MailField } from '../shared/mail-field.tsx'

const w = admin.people

interface NewPersonProps {
  readonly onCreated: (made: ReplyFor<'people_createPerson'>) => void
  readonly onClose: () => void
}

export function NewPerson({ onCreated, onClose }: NewPersonProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [isAdmin, setAdmin] = useState(false)
  const body = {
    email: email.trim(),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    installation_role: isAdmin ? ('admin' as const) : ('none' as const),
  }
  return (
    <FormDialog
      title={w.create}
      text={w.createText}
      act={w.create}
      request={{ operation: 'people_createPerson', body }}
      isReady={isAddress(body.email)}
      families={['people']}
      onDone={onCreated}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <MailField label={w.email} value={email} onChange={setEmail} autoFocus problems={problems('email')} />
          <TextField
            label={w.name}
            hint={w.nameHint}
            value={name}
            onChange={setName}
            maxLength={100}
            problems={problems('name')}
          />
          <Check kind="switch" checked={isAdmin} onChange={setAdmin} aside={w.isAdminAside}>
            {w.isAdmin}
          </Check>
        </>
      )}
    </FormDialog>
  )
}
