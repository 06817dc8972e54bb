/** The acts on the selection; dark like everything that acts on many. */
import { common } from '../words/common.ts'
import { cx } from './cx.ts'
import { Icon, type IconName } from './icon.tsx'
import styles from './night.module.css'
import { tip } from './tip.ts'
import { useShortcut } from './use-shortcut.ts'

const w = common.table

export interface PickedAct {
  readonly key: string
  readonly label: string
  readonly icon: IconName
  readonly isBad?: boolean
  /** The reason why it cannot be used with what is selected. */
  readonly reason?: string | undefined
  readonly act: () => void
}

interface PickedBarProps {
  readonly label: string
  readonly count: number
  readonly acts: readonly PickedAct[]
  readonly onClear: () => void
}

export function PickedBar({ label, count, acts, onClear }: PickedBarProps) {
  useShortcut('back', onClear)
  return (
    <div className={styles['picked-bar']} role="toolbar" aria-label={label}>
      <p role="status">{w.selected(count)}</p>
      <hr />
      {acts.map(({ key, label: text, icon, isBad, reason, act }) => (
        <button
          key={key}
          type="button"
          className={cx(styles['night-btn'], isBad && styles.bad)}
          aria-disabled={reason !== undefined || undefined}
          aria-description={reason}
          onClick={reason === undefined ? act : undefined}
          {...tip(reason ?? '')}
        >
          <Icon name={icon} />
          {text}
        </button>
      ))}
      <hr />
      <button type="button" className={styles['night-btn']} aria-label={w.clearSelection} onClick={onClear}>
        <Icon name="x" />
        <kbd data-keys="Esc" />
      </button>
    </div>
  )
}
