/** A draft of something that others may change at the same time. */
import { useEffect, useState } from 'react'

export interface DraftOf<Value> {
  readonly value: Value
  readonly change: (part: Partial<Value>) => void
  readonly isDirty: boolean
  /** True while it was changed elsewhere and here as well. */
  readonly isElsewhere: boolean
  /** Takes over what is there now. */
  readonly view: () => void
  /** Keeps the changes, on top of what is there now. */
  readonly overwrite: () => void
  /** Tells that what was sent was saved: what comes next is what became of it. What was changed since stays changed. */
  readonly saved: (sent: Value) => void
}

interface Held<Value> {
  readonly key: string | undefined
  /** The value before anything was changed here. */
  readonly base: Value
  readonly value: Value
  /** The value that was saved, until it comes back. */
  readonly sent?: Value | undefined
}

/**
 * A draft of `current`, which it follows as long as nothing was changed here. Afterwards it is never touched from outside.
 * Values are compared as JSON. Another `key` is another thing, of which nothing was changed yet.
 */
export function useDraft<Value extends object>(current: Value, key?: string): DraftOf<Value> {
  const begun: Held<Value> = { key, base: current, value: current }
  const [last, hold] = useState(begun)
  const held = last.key === key ? last : begun
  if (held !== last) hold(held)
  const { base, value, sent } = held
  const isDirty = !isSame(value, sent ?? base)
  const hasMoved = !isSame(base, current)
  const isElsewhere = hasMoved && isDirty && sent === undefined && !isSame(value, current)
  const isLeft = isDirty && sent !== undefined
  useEffect(() => {
    if (hasMoved && !isElsewhere) hold((now) => ({ key, base: current, value: isLeft ? now.value : current }))
  }, [hasMoved, isElsewhere, isLeft, key, current])
  return {
    value,
    change: (part) => hold((now) => ({ ...now, value: { ...now.value, ...part } })),
    isDirty,
    isElsewhere,
    view: () => hold(begun),
    overwrite: () => hold((now) => ({ ...now, base: current })),
    // Nothing is to come where it came before the reply, or where it was there already.
    saved: (sent) => hold((now) => (now.base === base && !isSame(sent, base) ? { ...now, sent } : now)),
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
