/** Finds what a firewall is applied to. Pure. */

interface Numbered {
  readonly id: number
}

export interface Applied {
  readonly applied_to: readonly {
    readonly server?: Numbered | undefined
    /** The servers that a selector stands for. */
    readonly applied_to_resources?: readonly { readonly server: Numbered }[] | undefined
  }[]
}

/** The ids of all servers that a firewall is applied to, by themselves or by a selector. */
export function serverIdsOf({ applied_to }: Applied): readonly number[] {
  const ids = applied_to.flatMap(({ server, applied_to_resources = [] }) => [
    ...(server ? [server.id] : []),
    ...applied_to_resources.map((one) => one.server.id),
  ])
  return [...new Set(ids)]
}
