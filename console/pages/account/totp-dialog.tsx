/** Sets up one-time codes: the secret as a picture, and one code as the proof that the app has it. */
import { useEffect, useRef, useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { account } from '../../words/account.ts'
import { common as c } from '../../words/common.ts'
import styles from './totp.module.css'

const w = account.security
const api = apiOf(undefined)

type Totp = ReplyFor<'people_beginTotp'>['totp']

interface TotpDialogProps {
  readonly refresh: () => Promise<void>
  /** Called with the recovery codes that come with the first second factor. */
  readonly onDone: (codes: readonly string[] | null) => void
  readonly onClose: () => void
}

export function TotpDialog({ refresh, onDone, onClose }: TotpDialogProps) {
  const [totp, setTotp] = useState<Totp>()
  const [code, setCode] = useState('')
  const begin = useSubmit()
  const submit = useSubmit()
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    void begin.run(async () => setTotp((await api.call('people_beginTotp', {})).totp))
  }, [begin])
  const isWrong = submit.cause !== undefined && toFailure(submit.cause).code === 'wrong_credentials'
  const confirm = async () => {
    if (!totp) return
    let codes: readonly string[] | null = null
    const isDone = await submit.run(async () => {
      const body = { ticket: totp.ticket, code: code.trim() }
      codes = (await api.call('people_confirmTotp', { body })).recovery_codes
      await refresh()
    })
    if (isDone) onDone(codes)
  }
  const isReady = totp !== undefined && code.trim() !== ''
  return (
    <Dialog
      title={w.codesTitle}
      text={totp && w.codesScan}
      onClose={onClose}
      onSubmit={() => void (isReady && confirm())}
      footer={<FormFooter act={w.confirm} isBusy={submit.isBusy} isReady={isReady} onClose={onClose} />}
    >
      {totp && (
        <>
          <img className={styles.qr} alt={w.qr} src={`data:image/svg+xml,${encodeURIComponent(totp.qr_svg)}`} />
          <p className="dim">
            {w.secret} <Copyable text={totp.secret} label={c.copy} />
          </p>
          <TextField
            label={w.code}
            value={code}
            onChange={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={8}
            autoFocus
            problems={isWrong ? [w.codeWrong] : undefined}
          />
        </>
      )}
      {begin.cause !== undefined && <FailureNote cause={begin.cause} />}
      {submit.cause !== undefined && !isWrong && <FailureNote cause={submit.cause} />}
    </Dialog>
  )
}
