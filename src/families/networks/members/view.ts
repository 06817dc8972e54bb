/** Members of networks as the API shows them. */
import type { Static } from 'typebox'
import { type Network, subnetFinder } from '../domain.ts'
import type { NetworkMember as Wire } from './contract.ts'
import type { Member } from './domain.ts'

/** Those of some members that have an address in a subnet of their network, as the API shows them. */
export function membersToWire({ subnets }: Network, members: readonly Member[]): Static<typeof Wire>[] {
  const subnetOf = subnetFinder(subnets)
  return members.flatMap(({ type, id, ip, aliasIps, status }) => {
    const subnet = subnetOf(ip)
    return subnet ? [{ type, id, ip, alias_ips: [...aliasIps], subnet: subnet.ipRange, status }] : []
  })
}
