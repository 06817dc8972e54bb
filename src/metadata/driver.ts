/** What the metadata service needs from the infrastructure: who is calling. */

/** A connection as the host sees it. Nothing in it comes from what the caller wrote into its request's headers. */
export interface Caller {
  readonly remoteAddress: string
  readonly localAddress: string
  readonly path: string
}

export interface MetadataDriver {
  /** The server on the other end and the path that it asks for; undefined when the caller is no server. */
  identify(caller: Caller): { readonly serverId: number; readonly path: string } | undefined
}
