/** Creates a Project, whose owner is who creates it. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { InputOf, ReplyFor } from '../../api/operations.ts'
import { projectsQuery } from '../../api/session.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { common } from '../../words/en/common.ts'
import { projects } from '../../words/en/projects.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('projects', projects)
const c = wordsOf('common', common)
const api = apiOf(undefined)

interface NewProjectProps {
  readonly onCreated: (made: ReplyFor<'management_createProject'>['project']) => Promise<unknown>
  readonly onClose: () => void
}

export function NewProject({ onCreated, onClose }: NewProjectProps) {
  const cache = useQueryClient()
  const submit = useSubmit()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const input: InputOf<'management_createProject'> = {
    body: { name: name.trim(), owner_email: email.trim() || null },
  }
  const isReady = name.trim() !== ''
  const create = async () => {
    const isMade = await submit.run(async () => {
      const { project } = await api.call('management_createProject', input)
      await cache.invalidateQueries(projectsQuery)
      await onCreated(project)
    })
    if (isMade) onClose()
  }
  const hasField = submit.problemsOf('name') ?? submit.problemsOf('owner_email')
  return (
    <Dialog
      title={w.create}
      text={w.createText}
      onClose={onClose}
      onSubmit={() => void (isReady && create())}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!isReady}>
            {w.create}
          </Button>
        </span>
      }
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        maxLength={128}
        autoFocus
        problems={submit.problemsOf('name')}
      />
      <TextField
        label={w.ownerEmail}
        hint={w.ownerEmailHint}
        type="email"
        value={email}
        onChange={setEmail}
        maxLength={254}
        problems={submit.problemsOf('owner_email')}
      />
      {submit.cause !== undefined && !hasField && <FailureNote cause={submit.cause} />}
      <Commands request={{ operation: 'management_createProject', ...input }} />
    </Dialog>
  )
}
