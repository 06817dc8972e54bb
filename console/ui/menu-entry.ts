/** The entries of menus, as whoever opens one gives them. */
import type { ReactNode, RefObject } from 'react'
import type { IconName } from './icon.tsx'

export interface MenuItem {
  readonly key: string
  readonly label: ReactNode
  readonly icon?: IconName | undefined
  /** Shown in weaker ink at the end. */
  readonly aside?: string | undefined
  readonly keys?: string | undefined
  readonly isBad?: boolean | undefined
  readonly isChosen?: boolean | undefined
  /** True if the key for editing takes it. */
  readonly isEdit?: boolean | undefined
  /** The reason why it cannot be used now; it stays where it is. */
  readonly reason?: string | undefined
  readonly onSelect?: (() => void) | undefined
}

export type MenuEntry = MenuItem | 'line'

export interface MenuPopupProps extends MenuProps {
  readonly anchor: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly align?: 'start' | 'end' | undefined
}

interface MenuProps {
  readonly label: string
  readonly entries: readonly MenuEntry[]
}
