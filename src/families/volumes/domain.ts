/** Volumes: block storage that outlives the servers it is attached to. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'

export const volumeStatuses = ['creating', 'available'] as const
export const volumeFormats = ['xfs', 'ext4'] as const

/** In GB. */
export const smallestVolume = 10
export const largestVolume = 10_240

export const maxVolumesOfServer = 16

export interface Volume {
  readonly id: number
  readonly name: string
  readonly status: (typeof volumeStatuses)[number]
  /** In GB. */
  readonly size: number
  readonly locationId: number
  readonly serverId: number | null
  /** Whether its server mounts it by itself. */
  readonly automount: boolean
  /** The file system that was asked for at its creation. */
  readonly format: (typeof volumeFormats)[number] | null
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}

/** Whether a volume can have this name (spec: Volume). */
export function isVolumeName(name: string): boolean {
  return /^[a-z\d]([-\w.]*[a-z\d])?$/i.test(name)
}

/** Where the guest finds a volume. */
export function linuxDevice(id: number): string {
  return `/dev/disk/by-id/scsi-0HC_Volume_${id}`
}
