/** Members of networks as the API shows them. */
import type { Static } from 'typebox'
import { type Network, subnetFinder } from '../domain.ts'
import type { MemberRow } from './attachment.ts'
import type { NetworkMember as Wire } from './contract.ts'

/** Those of some members that have an address in a subnet of their network, as the API shows them. */
export function membersToWire({ subnets }: Network, members: readonly MemberRow[]): Static<typeof Wire>[] {
  const subnetOf = subnetFinder(subnets)
  return members.flatMap(({ type, id, ip, address, alias_ips, status }) => {
    const subnet = subnetOf(address)?.ipRange
    return subnet === undefined ? [] : [{ type, id, ip, alias_ips: JSON.parse(alias_ips), subnet, status }]
  })
}
