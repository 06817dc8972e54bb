/** How dialogs are asked for, and what their buttons say. */
import type { FormEvent, ReactNode } from 'react'

export interface DialogProps {
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly onClose: () => void
  /** What is sent when the form inside is sent. */
  readonly onSubmit?: (() => void) | undefined
  readonly footer: ReactNode
  readonly isWide?: boolean | undefined
  /** Whether Esc and a click beside it close it; not where a secret is shown once. */
  readonly isLeavable?: boolean | undefined
  /** Whether leaving it loses something. Without it, whatever was typed or chosen in it counts. */
  readonly isDirty?: boolean | undefined
  readonly children?: ReactNode
}

/** Sends a form by its button or by Enter, never by leaving the page. */
export function sent(act: () => void): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault()
    event.stopPropagation()
    act()
  }
}
