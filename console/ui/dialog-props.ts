/** The properties of dialogs, and the handler that sends their forms. */
import type { FormEvent, ReactNode } from 'react'

export interface DialogProps {
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly onClose: () => void
  /** Called when the form inside is sent. */
  readonly onSubmit?: (() => void) | undefined
  readonly footer: ReactNode
  readonly isWide?: boolean | undefined
  /** True if Esc and a click beside it close it; false where a secret is shown once. */
  readonly isLeavable?: boolean | undefined
  /** True if leaving it loses something. Without it, whatever was typed or chosen in it counts. */
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
