/** News about what is out of sight. Read out once; errors stay until they are closed. */
import { type ReactNode, useEffect } from 'react'
import { createStore, useStore } from '../api/store.ts'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'
import { IconButton } from './button.tsx'
import { type Mood, Sign } from './state.tsx'
import styles from './toast.module.css'

const w = wordsOf('common', common)
const shownMs = 6_000

interface Toast {
  readonly id: number
  readonly mood: Mood
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly action?: ReactNode
}

const toasts = createStore<readonly Toast[]>([])
let last = 0

export function toast(news: Omit<Toast, 'id'>): void {
  toasts.set([...toasts.get().slice(-3), { ...news, id: ++last }])
}

function close(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

export function Toasts() {
  const shown = useStore(toasts)
  return (
    <div className={styles.toasts}>
      <div role="status" className="stack">
        {shown.map((one) => one.mood !== 'bad' && <One key={one.id} {...one} />)}
      </div>
      <div role="alert" className="stack">
        {shown.map((one) => one.mood === 'bad' && <One key={one.id} {...one} />)}
      </div>
    </div>
  )
}

function One({ id, mood, title, text, action }: Toast) {
  useEffect(() => {
    if (mood === 'bad') return
    const timer = setTimeout(close, shownMs, id)
    return () => clearTimeout(timer)
  }, [id, mood])
  return (
    <div className={styles.toast}>
      <Sign mood={mood} />
      <div>
        <b>{title}</b>
        {text && <p className="dim">{text}</p>}
      </div>
      {action}
      <IconButton icon="x" label={w.close} small onClick={() => close(id)} />
    </div>
  )
}
