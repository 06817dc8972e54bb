/** The names of a family and its resources, each spelling written once: nothing makes one of them from another. */
export interface Spelling {
  /** The type of its resources in actions, labels and replies, such as `floating_ip`. */
  readonly type: string
  /** Its path and its key in lists, such as `floating_ips`: the name of the family. */
  readonly path: string
  /** The name of one of its resources in texts, such as `Floating IP`. */
  readonly title: string
  /** The name of several of them in texts, such as `Floating IPs`. */
  readonly titles: string
}
