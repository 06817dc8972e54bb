/** What the console has of a family before one of its pages is opened. The first page needs all of them, so they are small. */
import type { AnyRoute } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'
import type { Language } from '../words/words.ts'

export interface Entry {
  /** What its resources are called together, as in the navigation. */
  readonly label: Readonly<Record<Language, string>>
  readonly icon: IconName
  /** The part of the navigation, unless it is the first. */
  readonly group?: 'security' | 'project'
  /** Where in the navigation it is: behind all with a smaller number. */
  readonly place: number
  /** The keys that lead to the list, which no other page has. */
  readonly keys: string
  readonly routes: Routes
  /** Whether a resource is known by its name, which then cannot be changed and is in the address of its page. */
  readonly isKnownByName?: boolean
  /** What resources are called by, unless it is their name. */
  readonly nameField?: 'description'
  /** What the page of one resource opens first, unless it decides by itself. */
  readonly tab?: string
  /** Where a resource is created that has no page for it: in a dialog of the list, or from something else, as snapshots are. */
  readonly creates?: 'dialog' | 'elsewhere'
}

/** Its pages below the Project. Families without a page for one resource have all there is in the list. */
interface Routes extends Readonly<Record<string, AnyRoute>> {
  readonly list: AnyRoute
}
