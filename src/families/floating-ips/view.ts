/** Floating IPs as the API shows them. */
import type { Static } from 'typebox'
import type { Platform } from '../../platform.ts'
import { locationToWire } from '../locations/reads.ts'
import type { FloatingIp as Wire } from './contract.ts'
import type { FloatingIp } from './domain.ts'

/** A Floating IP as the API shows it. */
export function floatingIpToWire({ catalogue }: Platform, floatingIp: FloatingIp): Static<typeof Wire> {
  const location = catalogue.locationById(floatingIp.homeLocationId)
  if (!location) throw new Error(`the catalogue lacks the location of floating IP ${floatingIp.id}`)
  return {
    id: floatingIp.id,
    name: floatingIp.name,
    description: floatingIp.description,
    type: floatingIp.type,
    ip: floatingIp.ip,
    server: floatingIp.serverId,
    home_location: locationToWire(location),
    blocked: false,
    dns_ptr: floatingIp.reverseNames.map(({ ip, name }) => ({ ip, dns_ptr: name })),
    labels: floatingIp.labels,
    protection: { delete: floatingIp.isProtected },
    created: floatingIp.created,
  }
}
