/** Says what keeps a draft from being created, as far as the console can know: by section, in words. */
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import type { Choices } from './choices.ts'
import { type Draft, imagesOf, isBadRange, isPast, namesIn, obstacleOf, volumeObstacleOf } from './draft.ts'
import { newServer as w } from './new.words.ts'
import { obstacleText } from './obstacle.ts'

export const sections = [
  'location',
  'image',
  'type',
  'networking',
  'keys',
  'volumes',
  'firewalls',
  'backups',
  'more',
  'name',
] as const
export type Section = (typeof sections)[number]

/** The problem of each section, such as a type that the location does not have. */
export type Wrongs = Readonly<Partial<Record<Section, string>>>

export function wrongsOf(draft: Draft, data: Choices, now: number): Wrongs {
  return {
    ...wrongMachine(draft, data, now),
    ...(areThere(draft.networks, data.networks) ? {} : { networking: w.takeOff }),
    ...(areThere(draft.sshKeys, data.keys) ? {} : { keys: w.takeOff }),
    ...wrongVolumes(draft, data),
    ...(areThere(draft.firewalls, data.firewalls) ? {} : { firewalls: w.takeOff }),
    ...(areThere(draft.placementGroup ? [draft.placementGroup] : [], data.groups) ? {} : { more: w.groupGone }),
    ...(isBadRange(draft.name) ? { name: w.badRange } : {}),
  }
}

/** Judges the location, the type and the image. */
function wrongMachine(draft: Draft, data: Choices, now: number): Wrongs {
  const { location, image, type: name } = draft
  const images = imagesOf(image, data.images)
  const type = data.types.find((one) => one.name === name)
  const isPlace = data.locations.some((one) => one.name === location)
  const isImage = images.some((one) => one.status === 'available' && !isPast(one, now))
  // A location that does not exist says nothing about the type.
  const obstacle = type && obstacleOf(type, { location: isPlace ? location : undefined, image }, data.images, now)
  return {
    ...(location && !isPlace ? { location: w.noSuch.location(location) } : {}),
    ...(image && !isImage ? { image: w.noSuch.image(image) } : {}),
    ...(name && !type ? { type: w.noSuch.type(name) } : {}),
    ...(obstacle ? { type: `${name}: ${obstacleText(obstacle, location ?? '')}` } : {}),
  }
}

function wrongVolumes({ volumes, location, name }: Draft, data: Choices): Wrongs {
  if (volumes.length === 0) return {}
  const found = data.volumes.filter(({ id }) => volumes.includes(id))
  if (found.length < volumes.length || found.some((one) => volumeObstacleOf(one, location))) {
    return { volumes: w.takeOff }
  }
  return namesIn(name).length > 1 ? { volumes: w.oneServer } : {}
}

function areThere(ids: readonly number[], all: readonly { readonly id: number }[]): boolean {
  return ids.every((wanted) => all.some(({ id }) => id === wanted))
}

/** Returns why nothing can be created yet: what is still to choose, or the first that is wrong. */
export function reasonOf({ location, image, type, name }: Draft, wrongs: Wrongs): string | undefined {
  const parts = { location, image, type, name: name.trim() } as const
  const missing = (Object.keys(parts) as (keyof typeof parts)[]).filter((part) => !parts[part]).map((part) => w[part])
  const first = sections.find((section) => wrongs[section])
  if (first) return wrongs[first]
  return missing.length > 0 ? w.missing(list(missing, c.andMore)) : undefined
}
