/** Volumes: block storage that outlives the servers it is attached to. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import { ApiError, invalidInput, limitExceeded } from '../../kernel/errors.ts'

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

// ---- Why a volume cannot be attached -------------------------------------------------------------------------------

/** 422 `volume_already_attached`. */
export function alreadyAttached({ id, serverId }: Pick<Volume, 'id' | 'serverId'>): ApiError {
  const message = `volume with ID '${id}' is attached to server with ID '${serverId}' already`
  return new ApiError('volume_already_attached', message)
}

/** 422 `invalid_input` in the field that names the volume or the server. */
export function inAnotherLocation(field: 'volumes' | 'server'): ApiError {
  return invalidInput([{ field, message: 'the server is in another location than the volume' }])
}

/** 403 `resource_limit_exceeded`. */
export function tooManyVolumes(): ApiError {
  return limitExceeded('volumes_per_server', `a server cannot have more than ${maxVolumesOfServer} volumes`)
}
