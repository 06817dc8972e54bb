/** The shortcuts that work everywhere: palette, help, and the keys that lead to pages. */
import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { useProjectId } from '../api/api.ts'
import { goShortcuts, register } from '../shortcuts.ts'
import { type Route, useGo } from '../ui/link.tsx'
import { useShortcut } from '../ui/use-shortcut.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }))

export function GlobalKeys() {
  const [shown, show] = useState<'palette' | 'keys'>()
  const go = useGo()
  const project = useProjectId()
  useShortcut('palette', () => show('palette'))
  useShortcut('help', () => show('keys'))
  useShortcut('edit', () => void import('../ui/edit-key.ts').then(({ edit }) => edit()))
  useLayoutEffect(() => {
    if (project === undefined) return
    const undo = [...goShortcuts().keys()].map((to) => register(`go ${to}`, () => void go({ to: to as Route })))
    return () => {
      for (const one of undo) one()
    }
  }, [project, go])
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={() => show(undefined)} />}
      {shown === 'keys' && <KeySheet onClose={() => show(undefined)} />}
    </Suspense>
  )
}
