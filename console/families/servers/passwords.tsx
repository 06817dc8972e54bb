/** Root passwords, shown once. The dialog closes only by saying that they are stored. */
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import { newServer as w } from './new.words.ts'

export interface Password {
  readonly name: string
  readonly password: string
}

export function Passwords({
  passwords,
  onClose,
}: {
  readonly passwords: readonly Password[]
  readonly onClose: () => void
}) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog
      title={w.password(passwords.length)}
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
      {passwords.map(({ name, password }) => (
        <div key={name} className="stack">
          <b>{name}</b>
          <CommandLine text={password} />
        </div>
      ))}
      <Check checked={isStored} onChange={setStored}>
        {w.stored(passwords.length)}
      </Check>
    </Dialog>
  )
}
