/** Sets the password. The proof that this needs is asked for by the call itself. */
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote, wordsFor } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toasts.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { account } from '../../words/en/account.ts'
import { common } from '../../words/en/common.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('account', account).security
const c = wordsOf('common', common)
const api = apiOf(undefined)

interface PasswordDialogProps {
  readonly hasOne: boolean
  readonly refresh: () => Promise<void>
  readonly onClose: () => void
}

export function PasswordDialog({ hasOne, refresh, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  const isWeak = submit.problemsOf('password') !== undefined
  const title = hasOne ? w.changePassword : w.setPassword
  const save = async () => {
    const isSaved = await submit.run(() => api.call('people_setPassword', { body: { password } }))
    if (!isSaved) return
    await refresh()
    toast({ mood: 'ok', title: w.passwordSaved })
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={password === ''}>
            {title}
          </Button>
        </span>
      }
    >
      <TextField
        label={w.newPassword}
        hint={w.passwordText}
        type="password"
        autoComplete="new-password"
        autoFocus
        value={password}
        onChange={setPassword}
        problems={isWeak ? [wordsFor(submit.cause)] : undefined}
      />
      {submit.cause !== undefined && !isWeak && <FailureNote cause={submit.cause} />}
    </Dialog>
  )
}
