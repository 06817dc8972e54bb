/** Creates a Project, whose owner is who creates it. */
import { useState } from 'react'
import type { ReplyFor } from '../../api/operations.ts'
import { TextField } from '../../ui/field.tsx'
import { projects } from '../../words/en/projects.ts'
import { wordsOf } from '../../words/words.ts'
import { FormDialog } from '../shared/form-dialog.tsx'

const w = wordsOf('projects', projects)

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
      isReady={body.name !== ''}
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
          <TextField
            label={w.ownerEmail}
            hint={w.ownerEmailHint}
            type="email"
            value={email}
            onChange={setEmail}
            maxLength={254}
            problems={problems('owner_email')}
          />
        </>
      )}
    </FormDialog>
  )
}
