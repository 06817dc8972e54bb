/** The entries of the navigation. `routes/navigation.ts` defines them beside the pages that they lead to. */
import { defineGo } from '../shortcuts.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Route } from '../ui/link.tsx'

export interface NavigationEntry {
  /** The path of the route: `/projects/$project/servers`. */
  readonly to: Route
  readonly label: string
  readonly icon: IconName
  /** The keys that lead there. */
  readonly keys?: string
}

interface NavigationGroup {
  readonly title?: string
  readonly entries: readonly NavigationEntry[]
}

let groups: readonly NavigationGroup[] = []

export function defineNavigation(all: readonly NavigationGroup[]): void {
  groups = all
  for (const { to, keys } of all.flatMap(({ entries }) => entries)) if (keys) defineGo(to, keys)
}

export function navigation(): readonly NavigationGroup[] {
  return groups
}
