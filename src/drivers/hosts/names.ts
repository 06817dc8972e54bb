/** Names of Wolke's things in Incus, and the marks by which they are known there again. */
import type { Config } from '../../protocols/incus/edit.ts'

export const serverName = (id: number) => `srv-${id}`
export const volumeName = (id: number) => `vol-${id}`
/** Names of networks have no more than 15 characters. */
export const networkName = (id: number) => `wn${id}`
export const imageAlias = (id: number) => `wolke-${id}`
/** Volumes of ISOs, which the operator imports. */
export const isoPrefix = 'wolke-iso-'
export const isoName = (id: number) => `${isoPrefix}${id}`
export const rescueName = 'wolke-rescue'
/** Snapshots of an instance from which images are made. */
export const snapshotPrefix = 'wolke-'
export const snapshotName = (imageId: number) => `${snapshotPrefix}${imageId}`

/** The id in Wolke of what has this configuration; undefined for what is not Wolke's. */
export function idOf(config: Config | null): number | undefined {
  const id = Number(config?.['user.wolke.id'])
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** The generation under which a key of the configuration was written; 0 when it never was. */
export function generationOf(config: Config, key = 'user.wolke.generation'): number {
  return Number(config[key]?.split(' ')[0] ?? 0)
}

/** The mark of a set of things that an instance has: its generation, and their ids. */
export const setMark = (generation: number, ids: readonly number[]) => [generation, ...ids].join(' ')

/** The ids in the mark of a set. */
export const idsIn = (mark: string) => mark.split(' ').slice(1).map(Number)

/** The marks of something that Wolke makes. */
export function marksOf(id: number, generation: number): Config {
  return { 'user.wolke.id': String(id), 'user.wolke.generation': String(generation) }
}
