/** An operator is told this of hosts. */
export interface Finding {
  /** The thing that was looked at, such as `host h2`. */
  readonly what: string
  readonly isFine: boolean
  readonly says: string
}
