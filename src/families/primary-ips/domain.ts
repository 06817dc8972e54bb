/** Primary IPs: the public addresses that servers are born with. Pure. */
import { reverseOctets } from '../../kernel/networks.ts'

export type IpType = 'ipv4' | 'ipv6'

export interface ReverseName {
  readonly ip: string
  readonly name: string
}

export interface PrimaryIp {
  readonly id: number
  readonly type: IpType
  /** An IPv4 address, or an IPv6 /64 network. */
  readonly ip: string
  readonly serverId: number | null
  readonly reverseNames: readonly ReverseName[]
}

/** The name that an IPv4 address has until somebody gives it another (facts: Servers 1.1). */
export function defaultReverseName(ip: string, domain: string): string {
  return `static.${reverseOctets(ip)}.clients.${domain}`
}
