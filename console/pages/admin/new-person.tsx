/** Creates a person. The link with which they come in is shown in the dialog that follows. */
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { InputOf, ReplyFor } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { admin } from '../../words/en/admin.ts'
import { common } from '../../words/en/common.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('admin', admin).people
const c = wordsOf('common', common)
const api = apiOf(undefined)

interface NewPersonProps {
  readonly onCreated: (made: ReplyFor<'people_createPerson'>) => void
  readonly onClose: () => void
}

export function NewPerson({ onCreated, onClose }: NewPersonProps) {
  const submit = useSubmit()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [isAdmin, setAdmin] = useState(false)
  const input: InputOf<'people_createPerson'> = {
    body: {
      email: email.trim(),
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      installation_role: isAdmin ? 'admin' : 'none',
    },
  }
  const isReady = /^[^@\s]+@[^@\s]+$/.test(email.trim())
  const create = () => submit.run(async () => onCreated(await api.call('people_createPerson', input)))
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
        label={w.email}
        type="email"
        value={email}
        onChange={setEmail}
        maxLength={254}
        autoFocus
        problems={submit.problemsOf('email')}
      />
      <TextField
        label={w.name}
        hint={w.nameHint}
        value={name}
        onChange={setName}
        maxLength={100}
        problems={submit.problemsOf('name')}
      />
      <Check kind="switch" checked={isAdmin} onChange={setAdmin} aside={w.isAdminAside}>
        {w.isAdmin}
      </Check>
      {submit.cause !== undefined && !submit.problemsOf('email') && <FailureNote cause={submit.cause} />}
      <Commands request={{ operation: 'people_createPerson', ...input }} />
    </Dialog>
  )
}
