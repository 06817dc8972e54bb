/** A password that was set, shown once. The dialog closes only by saying that it is stored. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import { boxes as w } from './words.ts'

/** A password and whom it lets in. */
interface Made {
  readonly name: string
  readonly password: string
}

interface Once {
  show(made: Made): void
  readonly dialog: ReactNode
}

/** `onStored` is called when the dialog is closed. */
export function usePasswordOnce(onStored?: () => void): Once {
  const [made, show] = useState<Made>()
  const close = () => {
    show(undefined)
    onStored?.()
  }
  return { show, dialog: made && <PasswordOnce {...made} onClose={close} /> }
}

function PasswordOnce({ name, password, onClose }: Made & { readonly onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      title={w.passwordOf(name)}
      text={w.passwordText}
      isLeavable={false}
      isDirty={!isStored}
      onClose={onClose}
      footer={
        <span className="end">
          <Button look="primary" reason={isStored ? undefined : f.storeFirst} onClick={onClose}>
            {c.close}
          </Button>
        </span>
      }
    >
      <CommandLine text={password} />
      <Check checked={isStored} onChange={setStored}>
        {w.stored}
      </Check>
    </Dialog>
  )
}
