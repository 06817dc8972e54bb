/** A dialog with a secret that is shown this once. It closes only by saying that the secret is stored. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import { resources as r } from '../../words/resources.ts'

interface OnceProps {
  readonly title: string
  readonly text: string
  /** How many secrets it shows. */
  readonly count?: number
  /** Where one would store them. */
  readonly storedAside?: string
  /** What stands beside the button that closes it. */
  readonly footer?: ReactNode
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function OnceDialog({ title, text, count = 1, storedAside, footer, isWide, onClose, children }: OnceProps) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      title={title}
      text={text}
      isWide={isWide}
      isLeavable={false}
      isDirty={!isStored}
      onClose={onClose}
      footer={
        <>
          {footer}
          <span className="end">
            <Button look="primary" reason={isStored ? undefined : f.storeFirst} onClick={onClose}>
              {c.done}
            </Button>
          </span>
        </>
      }
    >
      {children}
      <Check checked={isStored} onChange={setStored} aside={storedAside}>
        {r.stored(count)}
      </Check>
    </Dialog>
  )
}
