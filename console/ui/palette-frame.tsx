/** The dialog of the palette: near the top, without heading or buttons. */
import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import dialog from './dialog.module.css'
import { Frame } from './frame.tsx'
import { layerRoot } from './layers.ts'
import styles from './palette.module.css'

interface PaletteFrameProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

export function PaletteFrame({ title, onClose, children }: PaletteFrameProps) {
  return (
    <Frame>
      <Dialog.Root open onOpenChange={(open) => open || onClose()}>
        <Dialog.Portal container={layerRoot()}>
          <Dialog.Viewport className={`${dialog.scrim} ${styles.scrim}`}>
            <Dialog.Popup className={styles.palette} aria-label={title} render={<section />}>
              {children}
            </Dialog.Popup>
          </Dialog.Viewport>
        </Dialog.Portal>
      </Dialog.Root>
    </Frame>
  )
}
