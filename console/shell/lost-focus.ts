/**
 * The element with the focus may go, as the row of what was deleted does, before its dialog closes or after. The page
 * then has the focus, so that keys and screen readers go on from there.
 */
import { useEffect } from 'react'
import { focusTitle } from '../ui/focus-title.ts'

export function useLostFocus(): void {
  useEffect(() => {
    let last: Element | null = null
    const note = () => {
      last = document.activeElement
    }
    const look = () => {
      if (!last || last.isConnected) return
      last = null
      // What closes gives the focus back by itself first, where it can.
      setTimeout(() => {
        if (document.activeElement === null || document.activeElement === document.body) focusTitle()
      })
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', note)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', note)
    }
  }, [])
}
