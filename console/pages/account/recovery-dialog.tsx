/** Recovery codes, which are shown this once. */

import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { account } from '../../words/account.ts'
import { common as c } from '../../words/common.ts'
import { OnceDialog } from '../shared/once-dialog.tsx'
import styles from './totp.module.css'

const w = account.security

export function RecoveryDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}) {
  const text = `${codes.join('\n')}\n`
  return (
    <OnceDialog
      title={w.recoveryTitle}
      text={w.recoveryShown}
      count={codes.length}
      storedAside={w.storedAside}
      onClose={onClose}
      footer={
        <>
          <Button icon="download" onClick={() => saveFile('wolke-recovery-codes.txt', text)}>
            {w.download}
          </Button>
          <CopyButton text={text} label={c.copy} />
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
    </OnceDialog>
  )
}
