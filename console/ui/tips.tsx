/**
 * The tip on hover and on focus: one for the whole page, next to the element that carries `data-tip`. The same words
 * are in the element's name or description, so the tip itself is decoration and needs no role.
 */
import { useEffect, useRef, useState } from 'react'
import styles from './night.module.css'
import { useShortcutText } from './use-shortcut-text.ts'

const delayMs = 400

interface Tip {
  readonly text: string
  readonly keys: string | undefined
  readonly box: DOMRect
}

export function Tips() {
  const [shown, show] = useState<Tip>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const hide = () => {
      clearTimeout(timer.current)
      show(undefined)
    }
    const ask = (event: Event, wait: number) => {
      const owner = (event.target as Element | null)?.closest?.<HTMLElement>('[data-tip], [data-keys]')
      hide()
      if (!owner) return
      timer.current = setTimeout(() => {
        const { tip: text = '', keys } = owner.dataset
        if (owner.isConnected) show({ text, keys, box: owner.getBoundingClientRect() })
      }, wait)
    }
    const over = (event: Event) => ask(event, delayMs)
    const focus = (event: Event) => {
      if ((event.target as Element).matches(':focus-visible')) ask(event, 0)
    }
    const events = { pointerover: over, focusin: focus, focusout: hide, pointerdown: hide, keydown: hide, scroll: hide }
    for (const [name, act] of Object.entries(events))
      document.addEventListener(name, act, { passive: true, capture: true })
    return () => {
      hide()
      for (const [name, act] of Object.entries(events)) document.removeEventListener(name, act, { capture: true })
    }
  }, [])
  return shown ? <Bubble key={`${shown.box.x} ${shown.box.y}`} {...shown} /> : null
}

function Bubble({ text, keys, box }: Tip) {
  const bubble = useRef<HTMLSpanElement>(null)
  const shortcut = useShortcutText(keys)
  useEffect(() => {
    const element = bubble.current
    if (!element) return
    const { width, height } = element.getBoundingClientRect()
    const left = Math.min(Math.max(8, box.left + box.width / 2 - width / 2), window.innerWidth - width - 8)
    const below = box.bottom + 6
    const top = below + height > window.innerHeight - 8 ? box.top - height - 6 : below
    element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
  }, [box])
  if (!text && !shortcut) return null
  return (
    <span ref={bubble} className={`${styles.tip} ${styles.floating}`} aria-hidden="true">
      {text}
      {shortcut?.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}
