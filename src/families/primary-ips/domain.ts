/** Primary IPs: the public addresses that servers are created with. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import type { ReverseName } from '../addresses/reverse-names.ts'

export type IpType = 'ipv4' | 'ipv6'

export interface PrimaryIp {
  readonly id: number
  readonly type: IpType
  /** An IPv4 address, or an IPv6 /64 network. */
  readonly ip: string
  readonly serverId: number | null
  readonly reverseNames: readonly ReverseName[]
  readonly labels: Labels
  readonly version: number
}
