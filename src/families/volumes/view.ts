/** Volumes as the API shows them. */
import type { Static } from 'typebox'
import type { Platform } from '../../platform.ts'
import { locationToWire } from '../locations/reads.ts'
import type { Volume as Wire } from './contract.ts'
import { linuxDevice, type Volume } from './domain.ts'

/** A volume as the API shows it. */
export function volumeToWire({ catalogue }: Platform, volume: Volume): Static<typeof Wire> {
  const location = catalogue.locationById(volume.locationId)
  if (!location) throw new Error(`the catalogue lacks the location of volume ${volume.id}`)
  return {
    id: volume.id,
    name: volume.name,
    status: volume.status,
    size: volume.size,
    location: locationToWire(location),
    server: volume.serverId,
    linux_device: linuxDevice(volume.id),
    format: volume.format,
    labels: volume.labels,
    protection: { delete: volume.isProtected },
    created: volume.created,
  }
}
