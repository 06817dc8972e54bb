/** The buttons of a short form. */
import { common } from '../words/en/common.ts'
import { forms } from '../words/en/forms.ts'
import { wordsOf } from '../words/words.ts'
import { Button } from './button.tsx'

const w = wordsOf('common', common)
const f = wordsOf('forms', forms)

interface FormFooterProps {
  readonly act: string
  readonly isBad?: boolean | undefined
  readonly isBusy: boolean
  /** Whether everything that is needed is there. */
  readonly isReady?: boolean
  /** Why it cannot be sent, where something else than an empty field is the reason. */
  readonly reason?: string | undefined
  readonly onClose: () => void
}

export function FormFooter({ act, isBad = false, isBusy, isReady = true, reason, onClose }: FormFooterProps) {
  return (
    <span className="end row">
      <Button onClick={onClose}>{w.cancel}</Button>
      <Button
        type="submit"
        look={isBad ? 'danger' : 'primary'}
        isBusy={isBusy}
        reason={reason ?? (isReady ? undefined : f.missing)}
      >
        {act}
      </Button>
    </span>
  )
}
