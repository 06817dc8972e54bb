/** Sets the password. The proof that this needs is asked for by the call itself. */
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote, wordsFor } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { toast } from '../../ui/toasts.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { account } from '../../words/account.ts'

const w = account.security
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
  const isReady = password !== ''
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void (isReady && save())}
      footer={<FormFooter act={title} isBusy={submit.isBusy} isReady={isReady} onClose={onClose} />}
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
