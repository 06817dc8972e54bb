/** A link with which somebody sets a password: shown this once, or sent by mail where there is a mail server. */
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { admin } from '../../words/en/admin.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('admin', admin).people

interface LinkDialogProps {
  readonly email: string
  /** Null when it went by mail. */
  readonly link: string | null
  readonly isNew: boolean
  readonly onClose: () => void
}

export function LinkDialog({ email, link, isNew, onClose }: LinkDialogProps) {
  return (
    <Dialog
      title={isNew ? w.createdTitle(email) : w.linkTitle(email)}
      text={link === null ? w.mailed(email) : w.linkText}
      isLeavable={link === null}
      onClose={onClose}
      footer={
        <span className="end">
          <Button look="primary" onClick={onClose} autoFocus>
            {w.done}
          </Button>
        </span>
      }
    >
      {link !== null && <CommandLine text={link} />}
    </Dialog>
  )
}
