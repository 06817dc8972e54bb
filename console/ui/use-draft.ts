/** What is being changed of something that others may change at the same time. */
import { useEffect, useState } from 'react'

export interface DraftOf<Value> {
  readonly value: Value
  readonly change: (part: Partial<Value>) => void
  readonly isDirty: boolean
  /** Whether it was changed elsewhere while it was changed here as well. */
  readonly isElsewhere: boolean
  /** Takes over what is there now. */
  readonly view: () => void
  /** Keeps the changes, on top of what is there now. */
  readonly overwrite: () => void
  /** Tells that the changes were saved: what comes next is what became of them. */
  readonly saved: () => void
}

/**
 * A draft of `current`, which it follows as long as nothing was changed here. Afterwards it is never touched from outside.
 * Values are compared as JSON.
 */
export function useDraft<Value extends object>(current: Value): DraftOf<Value> {
  const [base, setBase] = useState(current)
  const [value, setValue] = useState(current)
  const [isSaved, setSaved] = useState(false)
  const isDirty = !isSaved && !isSame(value, base)
  const hasMoved = !isSame(base, current)
  const isElsewhere = hasMoved && isDirty && !isSame(value, current)
  const view = () => {
    setBase(current)
    setValue(current)
  }
  useEffect(() => {
    if (!hasMoved || isElsewhere) return
    setBase(current)
    setValue(current)
    setSaved(false)
  }, [hasMoved, isElsewhere, current])
  return {
    value,
    change: (part) => {
      setValue((old) => ({ ...old, ...part }))
      setSaved(false)
    },
    isDirty,
    isElsewhere,
    view,
    overwrite: () => setBase(current),
    saved: () => setSaved(true),
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
