/** What the slice of a family has of words besides those of its pages. */
import type { Forms } from '../lib/messages.ts'

/** What a family has of names in its slice. */
export interface Names {
  /** What its resources are called together, as in a sentence. */
  readonly family: string
  /** What one of them is called, as in a sentence. */
  readonly type?: string
  /** What its actions do, by the commands of the API. */
  readonly commands?: Readonly<Record<string, string>>
}

/** What the server says about a family, in its slice. */
export interface Messages {
  /** Messages in which the server names what is in the way. */
  readonly named: Forms
  /** What messages about inputs are in another language. */
  readonly messages: Forms
}
