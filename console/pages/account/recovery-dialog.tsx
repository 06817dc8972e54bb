/** Recovery codes, which are shown this once. */
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { account } from '../../words/en/account.ts'
import { common } from '../../words/en/common.ts'
import { forms } from '../../words/en/forms.ts'
import { wordsOf } from '../../words/words.ts'
import styles from './totp.module.css'

const w = wordsOf('account', account).security
const c = wordsOf('common', common)
const f = wordsOf('forms', forms)

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
