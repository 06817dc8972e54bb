/** Settings of zones, and their defaults. */
import { defaultZoneLimits, type ZoneLimits } from './limits.ts'

export interface ZoneSettings {
  /** Names of the authoritative name servers of every zone, absolute with a trailing dot. At least one. */
  readonly nameservers: readonly string[]
  /** The mailbox of SOA records as a domain name, absolute with a trailing dot. */
  readonly hostmaster: string
  /** Networks from which primary name servers of secondary zones may be although they are not public. */
  readonly privatePrimaries: readonly string[]
  /** How large a zone may be. */
  readonly limits: ZoneLimits
  readonly transfers: TransferLimits
  /** The age at which the key of a signed zone rolls by itself, in milliseconds; undefined for never. */
  readonly keyLifetimeMs: number | undefined
}

declare module '../../platform.ts' {
  interface Settings {
    readonly zones: ZoneSettings
  }
}

/** How many zones are transferred from their primaries at once: in all, and to one Project. Others wait their turn. */
export interface TransferLimits {
  readonly inAll: number
  readonly perProject: number
}

export const defaultTransferLimits: TransferLimits = { inAll: 4, perProject: 1 }

/** Names below the domain of the installation, for those who give no others. */
export function defaultZoneSettings(domain: string): ZoneSettings {
  return {
    nameservers: [1, 2, 3].map((number) => `ns${number}.${domain}.`),
    hostmaster: `hostmaster.${domain}.`,
    privatePrimaries: [],
    limits: defaultZoneLimits,
    transfers: defaultTransferLimits,
    keyLifetimeMs: undefined,
  }
}

/** TTL of zones that are created without one, in seconds. */
export const defaultTtl = 3_600
