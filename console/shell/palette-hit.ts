/** A hit of the palette, and what becomes of it. */
import type { IconName } from '../ui/icon.tsx'

export interface Hit {
  readonly key: string
  readonly group: string
  readonly label: string
  readonly aside?: string | undefined
  readonly icon: IconName
  readonly keys?: string | undefined
  /** The reason it cannot be done now. */
  readonly reason?: string | undefined
  readonly act: () => void
}
