/** Storage Boxes as the API shows them. */
import type { Static } from 'typebox'
import type { Platform } from '../../platform.ts'
import { locationToWire } from '../locations/reads.ts'
import { storageBoxTypeToWire } from '../storage-box-types/reads.ts'
import type { StorageBox as Wire } from './contract.ts'
import { type StorageBox, systemOf, usernameOf } from './domain.ts'
import { planToWire } from './snapshots/view.ts'

/** The host name of an account. */
export const hostOf = ({ settings }: Pick<Platform, 'settings'>, username: string) =>
  `${username}.${settings.storageBoxes.domain}`

/** A box as the API shows it. */
export function boxToWire(platform: Platform, box: StorageBox): Static<typeof Wire> {
  const { catalogue, clock } = platform
  const [location, type] = [catalogue.locationById(box.locationId), catalogue.storageBoxTypeById(box.typeId)]
  if (!location || !type) throw new Error(`the catalogue lacks the location or the type of Storage Box ${box.id}`)
  const { id, usedByFiles, usedBySnapshots } = box
  const isMade = box.status !== 'initializing'
  return {
    id,
    name: box.name,
    username: isMade ? usernameOf(id) : null,
    status: box.status,
    storage_box_type: storageBoxTypeToWire(type, clock.now()),
    location: locationToWire(location),
    access_settings: box.access,
    server: isMade ? hostOf(platform, usernameOf(id)) : null,
    system: isMade ? systemOf(id, location.name) : null,
    stats: { size: usedByFiles + usedBySnapshots, size_data: usedByFiles, size_snapshots: usedBySnapshots },
    labels: box.labels,
    protection: { delete: box.isProtected },
    snapshot_plan: box.plan && planToWire(box.plan),
    created: box.created,
  }
}
