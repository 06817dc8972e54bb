/** The acts of the open page that the palette offers: pages add to them while they are there. */
import { useEffect, useRef } from 'react'
import type { IconName } from '../ui/icon.tsx'

interface PaletteAct {
  readonly key: string
  readonly label: string
  readonly icon: IconName
  readonly keys?: string | undefined
  readonly act: () => void
}

const offered = new Set<() => readonly PaletteAct[]>()

export function paletteActs(): readonly PaletteAct[] {
  return [...offered].flatMap((ask) => ask())
}

export function usePaletteActs(acts: () => readonly PaletteAct[]): void {
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    const ask = () => latest.current()
    offered.add(ask)
    return () => void offered.delete(ask)
  }, [])
}
