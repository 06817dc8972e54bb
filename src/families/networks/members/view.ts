/** Members of networks as the API shows them. */
import type { Static } from 'typebox'
import { type Network, type Subnet, subnetFinder, toNumber } from '../domain.ts'
import type { NetworkMember as Wire } from './contract.ts'
import type { Member } from './domain.ts'

/** A member with the subnet that its address is in, and the address as a number. */
export interface PlacedMember {
  readonly member: Member
  readonly subnet: Subnet
  readonly at: number
}

/** Those of some members that have an address in a subnet of their network. */
export function placed({ subnets }: Network, members: readonly Member[]): PlacedMember[] {
  const subnetOf = subnetFinder(subnets)
  const found: PlacedMember[] = []
  for (const member of members) {
    const at = toNumber(member.ip)
    const subnet = subnetOf(at)
    if (subnet) found.push({ member, subnet, at })
  }
  return found
}

/** A member as the API shows it. */
export function memberToWire({ member, subnet }: PlacedMember): Static<typeof Wire> {
  const { type, id, ip, aliasIps, status } = member
  return { type, id, ip, alias_ips: [...aliasIps], subnet: subnet.ipRange, status }
}
