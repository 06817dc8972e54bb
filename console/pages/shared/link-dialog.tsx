/** A link with which somebody comes in: shown this once, or sent by mail where there is a mail server. */
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { common as c } from '../../words/common.ts'

interface LinkDialogProps {
  readonly title: string
  readonly text: string
  /** Null when it went by mail. */
  readonly link: string | null
  readonly onClose: () => void
}

export function LinkDialog({ title, text, link, onClose }: LinkDialogProps) {
  return (
    <Dialog
      title={title}
      text={text}
      isLeavable={link === null}
      onClose={onClose}
      footer={
        <span className="end">
          <Button look="primary" onClick={onClose} autoFocus>
            {c.done}
          </Button>
        </span>
      }
    >
      {link !== null && <CommandLine text={link} />}
    </Dialog>
  )
}
