/** Recovery codes, which are shown this once. */
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { account } from '../../words/account.ts'
import { common as c } from '../../words/common.ts'
import { forms as f } from '../../words/forms.ts'
import styles from './totp.module.css'

const w = account.security

export function RecoveryDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}) {
  const [isStored, store] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <Dialog
      title={w.recoveryTitle}
      text={w.recoveryShown}
      isLeavable={false}
      onClose={onClose}
      footer={
        <>
          <Button icon="download" onClick={() => saveFile('wolke-recovery-codes.txt', text)}>
            {w.download}
          </Button>
          <CopyButton text={text} label={c.copy} />
          <span className="end">
            <Button look="primary" reason={isStored ? undefined : f.storeFirst} onClick={onClose}>
              {w.done}
            </Button>
          </span>
        </>
      }
    >
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <Check checked={isStored} onChange={store} aside={w.storedAside}>
        {w.stored}
      </Check>
    </Dialog>
  )
}
