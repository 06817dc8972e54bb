/** The part of the form of new servers that a family has whose resources a server can have from its beginning. */
import type { ApiRequest } from '../../api/operations.ts'

export type NewServer = ApiRequest<'servers_create'>['body']

export interface Named {
  readonly id: number
  readonly name: string
}

/** In server-part.ts of the slice of the family. Some of its resources are chosen by name. */
export interface ServerPart<Row extends Named = Named> {
  /** The place in requests and in the form: behind all with a smaller number. */
  readonly place: number
  /** The section of the form that it is in, unless it is one by itself. */
  readonly section?: 'networking'
  /** The name of its resources together, unless it is that in the navigation. */
  readonly label?: string
  /** Returns the text that stands where there is nothing to choose. */
  readonly none: (location: string) => string
  /** True if all of them are chosen at the beginning. */
  readonly beginsWithAll?: boolean
  readonly asideOf?: (row: Row) => string
  /** Returns the reason why a server in a location cannot have it. */
  readonly obstacleOf?: (row: Row, location: string | undefined) => string | undefined
  /** A question about all that is chosen, and the field of the answer, which is yes at the beginning. */
  readonly question?: { readonly field: keyof NewServer; readonly text: string }
  /** The reason why several servers cannot have it, if so. */
  readonly onlyOnce?: string
  /** Returns what stands for one in the request, unless its id does. The field has the name of the family. */
  readonly itemOf?: (id: number) => unknown
}
