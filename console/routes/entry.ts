/** The part of a family that is there before its pages are opened. The first page needs all, so they are small. */
import type { AnyRoute } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'
import type { Language } from '../words/words.ts'

export interface Entry {
  /** The name of its resources together, as in the navigation. */
  readonly label: Readonly<Record<Language, string>>
  readonly icon: IconName
  /** The part of the navigation, unless it is the first. */
  readonly group?: 'security' | 'project'
  /** The place in the navigation: behind all with a smaller number. */
  readonly place: number
  /** The keys that lead to the list, which no other page has. */
  readonly keys: string
  readonly routes: Routes
  /** True if a resource is known by its name, which then cannot be changed and is in the address of its page. */
  readonly isKnownByName?: boolean
  /** The field that names a resource, unless it is `name`. */
  readonly nameField?: 'description'
  /** The tab that the page of one resource opens first, unless it decides by itself. */
  readonly tab?: string
  /** The way to create without a page for it: in a dialog of the list, or from something else, as snapshots are. */
  readonly creates?: 'dialog' | 'elsewhere'
}

/** Its pages below the Project. Families without a page for one resource have all there is in the list. */
interface Routes extends Readonly<Record<string, AnyRoute>> {
  readonly list: AnyRoute
}
