/** Lets a shortcut do something while a part is on the page. */
import { useLayoutEffect, useRef } from 'react'
import { register, type ShortcutId } from '../shortcuts.ts'

export function useShortcut(id: ShortcutId, act: (() => void) | undefined): void {
  const latest = useRef(act)
  latest.current = act
  const isOn = act !== undefined
  // The key works as soon as the part is seen.
  useLayoutEffect(() => (isOn ? register(id, () => latest.current?.()) : undefined), [id, isOn])
}
