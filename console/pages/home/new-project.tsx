/** Creates a Project, whose owner is who creates it. */
import { useState } from 'react'
import type { ReplyFor } from '../../api/operations.ts'
import { TextField } from '../../ui/field.tsx'
import { projects as w } from '../../words/projects.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { isAddress, MailField } from '../shared/mail-field.tsx'

interface NewProjectProps {
  readonly onCreated: (made: ReplyFor<'management_createProject'>['project']) => void
  readonly onClose: () => void
}

export function NewProject({ onCreated, onClose }: NewProjectProps) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const body = { name: name.trim(), owner_email: email.trim() || null }
  return (
    <FormDialog
      title={w.create}
      text={w.createText}
      act={w.create}
      request={{ operation: 'management_createProject', body }}
      isReady={body.name !== '' && (body.owner_email === null || isAddress(body.owner_email))}
      families={['management']}
      onDone={({ project }) => onCreated(project)}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.name}
            value={name}
            onChange={setName}
            maxLength={128}
            autoFocus
            problems={problems('name')}
          />
          <MailField
            label={w.ownerEmail}
            hint={w.ownerEmailHint}
            value={email}
            onChange={setEmail}
            problems={problems('owner_email')}
          />
        </>
      )}
    </FormDialog>
  )
}
