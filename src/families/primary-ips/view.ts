/** Primary IPs as the API shows them. */
import type { Static } from 'typebox'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Platform } from '../../platform.ts'
import { datacenterToWire } from '../datacenters/reads.ts'
import { locationToWire } from '../locations/reads.ts'
import { primaryIpChanges } from './changes.ts'
import type { PrimaryIp as Wire } from './contract.ts'
import type { PrimaryIp } from './domain.ts'

/** A Primary IP as the API shows it. */
export function primaryIpToWire({ catalogue, clock }: Platform, primaryIp: PrimaryIp): Static<typeof Wire> {
  const now = clock.now()
  const location = catalogue.locationById(primaryIp.locationId)
  if (!location) throw new Error(`the catalogue lacks the location of primary IP ${primaryIp.id}`)
  return {
    id: primaryIp.id,
    name: primaryIp.name,
    type: primaryIp.type,
    ip: primaryIp.ip,
    location: locationToWire(location),
    ...(inEffect(primaryIpChanges.primary_ip_datacenter_removed, now)
      ? {}
      : { datacenter: datacenterToWire(catalogue, location, now) }),
    assignee_id: primaryIp.serverId ?? primaryIp.loadBalancerId,
    assignee_type: assigneeType(primaryIp, now),
    auto_delete: primaryIp.autoDelete,
    blocked: false,
    dns_ptr: primaryIp.reverseNames.map(({ ip, name }) => ({ ip, dns_ptr: name })),
    labels: primaryIp.labels,
    protection: { delete: primaryIp.isProtected },
    created: primaryIp.created,
  }
}

/** Until September 2026 one that nothing had was still of the type of servers. */
function assigneeType({ serverId, loadBalancerId }: PrimaryIp, now: number): Static<typeof Wire>['assignee_type'] {
  if (loadBalancerId !== null) return 'load_balancer'
  return serverId !== null || !inEffect(primaryIpChanges.assignee_type_unassigned, now) ? 'server' : 'unassigned'
}
