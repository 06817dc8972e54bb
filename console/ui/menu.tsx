/** A menu. Its button is plain, so that lists can have one in every row; the menu itself is made when it opens. */

import { lazy, type ReactNode, type RefObject, Suspense, use, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import type { MenuEntry, MenuPopupProps } from './menu-entry.ts'

const Popup = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }))

/** Entries that are here, or that are loaded when the menu opens. */
export type Entries = readonly MenuEntry[] | Promise<readonly MenuEntry[]>

interface MenuOfProps {
  readonly label: string
  /** Asked when the menu opens. */
  readonly entries: () => Entries
  readonly align?: 'start' | 'end'
  /** Draws the button. */
  readonly children: (button: {
    readonly ref: RefObject<HTMLButtonElement | null>
    readonly 'aria-haspopup': 'menu'
    readonly 'aria-expanded': boolean
    readonly onClick: () => void
  }) => ReactNode
}

export function MenuOf({ label, entries, align, children }: MenuOfProps) {
  const ref = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState<Entries>()
  const isOpen = opened !== undefined
  return (
    <>
      {children({ ref, 'aria-haspopup': 'menu', 'aria-expanded': isOpen, onClick: () => setOpened(entries()) })}
      {opened && (
        <Suspense>
          <Opened label={label} entries={opened} anchor={ref} align={align} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </>
  )
}

function Opened({ entries, ...rest }: Omit<MenuPopupProps, 'entries'> & { readonly entries: Entries }) {
  return <Popup {...rest} entries={entries instanceof Promise ? use(entries) : entries} />
}

/** The menu of one row or of one thing. */
export function DotsMenu({
  label,
  entries,
  small = true,
}: {
  readonly label: string
  readonly entries: () => Entries
  readonly small?: boolean
}) {
  return (
    <MenuOf label={label} entries={entries} align="end">
      {(button) => <IconButton icon="dots" label={label} small={small} {...button} />}
    </MenuOf>
  )
}
