/** The buttons of a short form. */
import { common as w } from '../words/common.ts'
import { forms as f } from '../words/forms.ts'
import { Button } from './button.tsx'

interface FormFooterProps {
  readonly act: string
  readonly isBad?: boolean | undefined
  readonly isBusy: boolean
  /** True if everything that is needed is there. */
  readonly isReady?: boolean
  /** The reason why it cannot be sent, where it is something else than an empty field. */
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
