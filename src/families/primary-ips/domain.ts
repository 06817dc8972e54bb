/** Primary IPs: the public addresses that belong to servers or Load Balancers, one of each type at most. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import type { NamedAddress } from '../addresses/reverse-names.ts'

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
