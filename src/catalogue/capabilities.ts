/**
 * What the infrastructure of a location can do. What it cannot do is refused before anything is written, and shown to
 * whoever wants to know before asking.
 */

/** In the order in which they are shown. */
export const capabilityNames = [
  /** A rescue system can be booted instead of the disk. */
  'rescue',
  /** ISOs can be in the drive. */
  'iso',
  /** Volumes are block devices; otherwise each is a file system, made with its format. */
  'block_volumes',
  /** The screen can be seen. */
  'console',
  /** Something carries the traffic of Load Balancers. */
  'load_balancers',
  /** Servers without a public IPv4 address reach the metadata service. */
  'metadata_without_ipv4',
] as const
export type Capability = (typeof capabilityNames)[number]

export type Capabilities = Readonly<Record<Capability, boolean>>

/** What virtual machines can do. */
export const everything = Object.fromEntries(capabilityNames.map((name) => [name, true])) as Capabilities
