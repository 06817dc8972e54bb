/** How a family and its resources are called, each spelling written once: nothing makes one of them from another. */
export interface Spelling {
  /** The type of its resources in actions, labels and replies, such as `floating_ip`. */
  readonly type: string
  /** Its path and its key in lists, such as `floating_ips`: the name of the family. */
  readonly path: string
  /** What texts call one of its resources, such as `Floating IP`. */
  readonly title: string
  /** What texts call several of them, such as `Floating IPs`. */
  readonly titles: string
}
