/**
 * Shows content on top of whatever is open, such as a question that a call waits for. Each dialog has a slot for it
 * inside, so that the question belongs to the dialog and focus and Esc go the right way.
 */
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { createStore, useStore } from '../lib/store.ts'

const slots = createStore<readonly symbol[]>([])
const shown = createStore<readonly { readonly content: ReactNode }[]>([])
const IsInside = createContext(false)

/** Shows something on top of all that is open; returns how to take it away. */
export function showOnTop(content: ReactNode): () => void {
  const me = { content }
  shown.set([...shown.get(), me])
  return () => shown.set(shown.get().filter((one) => one !== me))
}

export function TopSlot() {
  return useContext(IsInside) ? null : <Slot />
}

function Slot() {
  const [me] = useState(() => Symbol('slot'))
  useEffect(() => {
    slots.set([...slots.get(), me])
    return () => slots.set(slots.get().filter((one) => one !== me))
  }, [me])
  const isTop = useStore(slots).at(-1) === me
  const content = useStore(shown).at(-1)?.content
  return isTop && content ? <IsInside value={true}>{content}</IsInside> : null
}
