/** Primary IPs: the public addresses that belong to servers or Load Balancers, one of each type at most. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { NamedAddress } from '../addresses/domain.ts'

export const ipTypes = ['ipv4', 'ipv6'] as const
export type IpType = (typeof ipTypes)[number]

export interface PrimaryIp extends NamedAddress {
  readonly id: number
  readonly name: string
  readonly locationId: number
  readonly serverId: number | null
  /** A Load Balancer keeps it for as long as it lives. */
  readonly loadBalancerId: number | null
  /** Whether it is deleted with its server. */
  readonly autoDelete: boolean
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}

/** Somebody is made with such a Primary IP. */
interface WantedAddress {
  readonly type: IpType
  readonly locationId: number
  /** The refusal of one in another location. */
  readonly elsewhere: 'primary_ip_datacenter_mismatch' | 'primary_ip_location_mismatch'
}

/** Errors: `primary_ip_version_mismatch`, `primary_ip_assigned`, and `elsewhere`. */
export function checkFit(primaryIp: PrimaryIp, { type, locationId, elsewhere }: WantedAddress): void {
  if (primaryIp.type !== type) {
    throw new ApiError('primary_ip_version_mismatch', `the primary IP is not of type ${type}`, { status: 412 })
  }
  if (primaryIp.serverId !== null || primaryIp.loadBalancerId !== null) {
    throw new ApiError('primary_ip_assigned', 'the primary IP is already assigned')
  }
  if (primaryIp.locationId !== locationId) throw new ApiError(elsewhere, 'the primary IP is in another location')
}
