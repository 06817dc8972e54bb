/** Rows of zones and of what is in them. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { SealedColumn } from '../../kernel/secrets/secrets.ts'
import type { ZoneMode } from './domain.ts'
import type { DelegationStatus } from './driver.ts'
import type { SigningStep } from './signing/domain.ts'

export interface ZoneRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly mode: ZoneMode
  readonly ttl: number
  readonly serial: number
  readonly version: number
  /** The version since which single changes are recorded: whoever knows an older one reads the zone as a whole. */
  readonly whole_version: number
  /** Which of its contents is what is in it. */
  readonly content_id: number
  readonly record_count: number
  /** As `lineBytes` counts them. */
  readonly text_bytes: number
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  /** The names of the servers to which its parent delegates it, as JSON. */
  readonly delegated: string
  readonly delegation_status: DelegationStatus
  /** The time of its parent's last answer. */
  readonly delegation_checked: string | null
  /** When its parent is asked again, in the clock's milliseconds. */
  readonly delegation_due: number
  /** Whether its answers are signed here: see signing/. */
  readonly is_signed: 0 | 1
}

/** All RRSets that a zone has, had or is to have: see content/store.ts. */
export interface ZoneContentRow {
  readonly id: number
  readonly project_id: ProjectId
  /** The zone may be gone, or may never have come to be. */
  readonly zone_id: number
  /**
   * The database's time in milliseconds from which it may be deleted; null for the one that its zone names, 0 when some of
   * its RRSets may be gone already.
   */
  readonly expires: number | null
}

/** RRSets of primary zones, and what secondary zones were transferred. */
export interface RrsetRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly content_id: number
  /** `name/type`: the id that the API shows. */
  readonly rr_key: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: string
  readonly labels: string
  readonly protect_change: 0 | 1
  readonly created: string
}

/** A TXT record that a certificate authority looks for; the API does not show it. */
interface ZoneChallengeRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly zone_id: number
  readonly name: string
  readonly value: string
}

/** RRSets that a version of a zone changed. */
interface ZoneChangeRow {
  readonly project_id: ProjectId
  readonly zone_id: number
  readonly version: number
  readonly rr_key: string
}

/** Where a secondary zone comes from, and when its primaries are asked again. */
export interface ZoneSourceRow {
  readonly zone_id: number
  readonly project_id: ProjectId
  /** Without their keys, which are sealed. */
  readonly nameservers: string
  readonly tsig_keys: string | null
  /** The clock's time in milliseconds. */
  readonly next_check: number
  /** When a primary was last heard, in the clock's milliseconds; null before the first time. */
  readonly refreshed: number | null
  readonly is_stale: 0 | 1
}

/** How far a zone is with its signatures. Times are the clock's milliseconds. */
export interface ZoneSigningRow {
  readonly zone_id: number
  readonly project_id: ProjectId
  readonly step: SigningStep
  /** The time from which the step may end. */
  readonly until: number
  /** Whether its parent has been seen with the DS records that the step waits for. */
  readonly is_seen: 0 | 1
  readonly wants_roll: 0 | 1
  /** The time since which its content was given out with new signatures. */
  readonly renewed: number
  /** When it is looked at again. */
  readonly due: number
  /** The data of the DS records of its parent in hexadecimal digits, as JSON; null before they were seen. */
  readonly parent_ds: string | null
  /** The time of its parent's last answer. */
  readonly parent_checked: string | null
}

/** A key with which a zone is signed. */
export interface ZoneKeyRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly zone_id: number
  /** The data of its DNSKEY record in base64. */
  readonly dnskey: string
  /** The private key, sealed. */
  readonly sealed: string
  readonly created: string
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    zone: ZoneRow
    zone_content: ZoneContentRow
    rrset: RrsetRow
    zone_challenge: ZoneChallengeRow
    zone_change: ZoneChangeRow
    zone_source: ZoneSourceRow
    zone_signing: ZoneSigningRow
    zone_key: ZoneKeyRow
  }
}

/** Where the keys of transfers are sealed. */
export const transferKeys: SealedColumn = { table: 'zone_source', column: 'tsig_keys', key: 'zone_id' }

/** Where the private parts of the keys of zones are sealed. */
export const zoneKeys: SealedColumn = { table: 'zone_key', column: 'sealed', key: 'id' }

export const zoneLocks: Locks = {
  order: [
    ['zone', 'key secrets', 'project_key', 'zone_source'],
    ['zone', 'key secrets', 'project_key', 'zone_key'],
  ],
  belonging: {
    rrset: 'the zone',
    zone_content: 'the zone, or who writes it; whoever deletes it leaves out what others hold',
    zone_change: 'the zone',
    zone_challenge: 'the zone',
    zone_signing: 'the zone',
    dns_change: 'the zone, or who has the address',
  },
}
