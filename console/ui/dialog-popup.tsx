/** The dialog itself: trapped focus, Esc and the return of focus come from Base UI. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { type FormEvent, useState } from 'react'
import { cx } from './cx.ts'
import styles from './dialog.module.css'
import { type DialogProps, sent } from './dialog-props.ts'
import { Frame } from './frame.tsx'
import { layerRoot } from './layers.ts'
import { TopSlot } from './top-slot.tsx'
import { mayDiscard, useUnsaved } from './unsaved.ts'

export function DialogPopup({
  title,
  text,
  onClose,
  onSubmit,
  footer,
  isWide = false,
  isLeavable = true,
  isDirty,
  children,
}: DialogProps) {
  const [isTouched, touch] = useState(false)
  const isUnsaved = isDirty ?? isTouched
  useUnsaved(isUnsaved, 'dialog')
  const content = (
    <>
      <header>
        <Base.Title>{title}</Base.Title>
        {text && <Base.Description>{text}</Base.Description>}
      </header>
      <div className={styles.body}>{children}</div>
      <footer>{footer}</footer>
    </>
  )
  const className = cx(styles.dialog, isWide && styles.wide)
  return (
    <Frame>
      <Base.Root open disablePointerDismissal={!isLeavable} onOpenChange={(open, { reason }) => leave(open, reason)}>
        <Base.Portal container={layerRoot()}>
          <Base.Viewport className={styles.scrim}>
            <Base.Popup className={className} render={<section />} onInput={note}>
              {onSubmit ? (
                <form onSubmit={sent(onSubmit)} noValidate>
                  {content}
                </form>
              ) : (
                content
              )}
              <TopSlot />
            </Base.Popup>
          </Base.Viewport>
        </Base.Portal>
      </Base.Root>
    </Frame>
  )

  function leave(open: boolean, reason: string): void {
    if (open || (!isLeavable && reason === 'escape-key')) return
    if (!isUnsaved) onClose()
    else void mayDiscard().then((discards) => discards && onClose())
  }

  /** Searching is no change, and what lies on top has changes of its own. */
  function note({ target, currentTarget }: FormEvent): void {
    if (target instanceof HTMLElement && currentTarget.contains(target) && !target.matches('[type=search]')) touch(true)
  }
}
