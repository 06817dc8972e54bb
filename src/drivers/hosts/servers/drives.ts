/**
 * The drives of a virtual machine beside its disks: the documents of cloud-init, the ISO that it was given, and the rescue
 * system. The firmware tries those with a priority first, the highest before the others, and then the disk. Pure. Not run:
 * it needs KVM.
 */
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { isoName, rescueName } from '../names.ts'

const rescueDrive = 'rescue'
const names = ['cloud-init', 'iso', rescueDrive]

export interface Drives {
  /** The id of an ISO. */
  readonly iso: number | null
  readonly hasRescue: boolean
}

/** The devices of an instance with exactly these drives. `pool` has the ISOs. */
export function withDrives(
  devices: Instance['devices'],
  { iso, hasRescue }: Drives,
  pool: string,
): Instance['devices'] {
  const others = Object.entries(devices).filter(([name]) => !isDrive(name))
  const drive = (source: string, priority: string): Config => ({
    type: 'disk',
    pool,
    source,
    'boot.priority': priority,
  })
  return {
    ...Object.fromEntries(others),
    'cloud-init': { type: 'disk', source: 'cloud-init:config' },
    ...(iso === null ? {} : { iso: drive(isoName(iso), '5') }),
    ...(hasRescue ? { [rescueDrive]: drive(rescueName, '10') } : {}),
  }
}

/** Tells whether a device has the name of one. */
export const isDrive = (device: string) => names.includes(device)

/** Tells whether the rescue system is in its drive: one that has power was booted from it. */
export const hasRescue = ({ devices }: Pick<Instance, 'devices'>) => rescueDrive in devices
