/** The shortcuts that work everywhere: palette, help, and the keys that lead to pages. */
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { useProjectId } from '../api/api.ts'
import { goShortcuts, register } from '../shortcuts.ts'
import { useShortcut } from '../ui/use-shortcut.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }))

export function GlobalKeys() {
  const [shown, show] = useState<'palette' | 'keys'>()
  const navigate = useNavigate()
  const project = useProjectId()
  useShortcut('palette', () => show('palette'))
  useShortcut('help', () => show('keys'))
  useShortcut('edit', () => void import('../ui/edit-key.ts').then(({ edit }) => edit()))
  useLayoutEffect(() => {
    if (project === undefined) return
    const go = (to: string) => () => void navigate({ to, params: { project: String(project) } } as never)
    const undo = [...goShortcuts().keys()].map((to) => register(`go ${to}`, go(to)))
    return () => {
      for (const one of undo) one()
    }
  }, [project, navigate])
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={() => show(undefined)} />}
      {shown === 'keys' && <KeySheet onClose={() => show(undefined)} />}
    </Suspense>
  )
}
