/** News about what is out of sight. Read out once; errors stay until they are closed. */
import { useEffect } from 'react'
import { useStore } from '../lib/store.ts'
import { common as w } from '../words/common.ts'
import { IconButton } from './button.tsx'
import { Sign } from './state.tsx'
import styles from './toast.module.css'
import { closeToast, type Toast, toasts } from './toasts.ts'

const shownMs = 6_000

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
    const timer = setTimeout(closeToast, shownMs, id)
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
      <IconButton icon="x" label={w.close} small onClick={() => closeToast(id)} />
    </div>
  )
}
