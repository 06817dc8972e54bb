/** What the slice of a family has of words besides those of its pages. */

/** What a family has of names in its slice. */
export interface Names {
  /** What its resources are called together, as in a sentence. */
  readonly family: string
  /** What one of them is called, as in a sentence. */
  readonly type?: string
  /** What its actions do, by the commands of the API. */
  readonly commands?: Readonly<Record<string, string>>
  /** What they cost money for, as in an overview of costs. */
  readonly costs?: Readonly<Record<string, string>>
}
