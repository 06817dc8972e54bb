/** The words in the slice of a family besides those of its pages. */
import type { Forms } from '../lib/messages.ts'

/** The names in the slice of a family. */
export interface Names {
  /** The name of its resources together, as in a sentence. */
  readonly family: string
  /** The name of one of them, as in a sentence. */
  readonly type?: string
  /** The names of its actions, by the commands of the API. */
  readonly commands?: Readonly<Record<string, string>>
}

/** The messages of the server about a family, in its slice. */
export interface Messages {
  /** Messages in which the server names what is in the way. */
  readonly named: Forms
  /** The forms of messages about inputs in another language. */
  readonly messages: Forms
}
