/** Detail without leaving the list, and the navigation of small screens: a surface at the edge. */
import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { common as w } from '../words/common.ts'
import { IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { Frame } from './frame.tsx'
import { layerRoot } from './layers.ts'
import styles from './sheet.module.css'
import { TopSlot } from './top-slot.tsx'

export interface SheetProps {
  readonly title: ReactNode
  readonly side?: 'start' | 'end'
  readonly footer?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Sheet({ title, side = 'end', footer, onClose, children }: SheetProps) {
  return (
    <Frame>
      <Dialog.Root open onOpenChange={(open) => open || onClose()}>
        <Dialog.Portal container={layerRoot()}>
          <Dialog.Backdrop className={styles.veil} />
          <Dialog.Popup className={cx(styles.sheet, side === 'start' && styles.start)} render={<section />}>
            <header>
              <Dialog.Title>{title}</Dialog.Title>
              <span className="end">
                <IconButton icon="x" label={w.close} onClick={onClose} />
              </span>
            </header>
            <div className={styles.body}>{children}</div>
            {footer && <footer>{footer}</footer>}
            <TopSlot />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </Frame>
  )
}
