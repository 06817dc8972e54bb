/** Says what keeps a draft from being created, as far as the console can know: by section, in words. */
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import type { Choices } from './choices.ts'
import { type Draft, imagesOf, isBadRange, isPast, namesIn, obstacleOf } from './draft.ts'
import { newServer as w } from './new.words.ts'
import { type Part, type PartFamily, parts } from './new-data.ts'
import { obstacleText } from './obstacle.ts'

/** The sections of the form itself. */
type OwnSection = 'location' | 'image' | 'type' | 'networking' | 'backups' | 'more' | 'name'
export type Section = OwnSection | PartFamily

const sections: readonly Section[] = [
  'location',
  'image',
  'type',
  'networking',
  ...parts.filter(({ section }) => section === undefined).map(({ family }) => family),
  'backups',
  'more',
  'name',
]

/** Returns the section in which a part is. */
export function sectionOf({ section, family }: Part): Section {
  return section ?? family
}

/** The problem of each section, such as a type that the location does not have. */
export type Wrongs = Readonly<Partial<Record<Section, string>>>

export function wrongsOf(draft: Draft, data: Choices, now: number): Wrongs {
  return {
    ...wrongMachine(draft, data, now),
    ...wrongParts(draft, data),
    ...(isGroupGone(draft, data) ? { more: w.groupGone } : {}),
    ...(isBadRange(draft.name) ? { name: w.badRange } : {}),
  }
}

/** Tells whether the placement group that was chosen is no longer there. */
export function isGroupGone({ placementGroup: group }: Draft, { groups }: Choices): boolean {
  return group !== undefined && !groups.some(({ id }) => id === group)
}

function wrongParts(draft: Draft, data: Choices): Wrongs {
  const wrongs = parts.map((part) => [sectionOf(part), wrongPart(part, draft, data)] as const)
  return Object.fromEntries(wrongs.filter(([, wrong]) => wrong !== undefined))
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

function wrongPart(part: Part, { picked, location, name }: Draft, data: Choices): string | undefined {
  const { ids } = picked[part.family]
  const found = data.rows[part.family].filter(({ id }) => ids.includes(id))
  if (found.length < ids.length || found.some((row) => part.obstacleOf?.(row, location))) return w.takeOff
  return ids.length > 0 && namesIn(name).length > 1 ? part.onlyOnce : undefined
}

/** Returns why nothing can be created yet: what is still to choose, or the first that is wrong. */
export function reasonOf({ location, image, type, name }: Draft, wrongs: Wrongs): string | undefined {
  const parts = { location, image, type, name: name.trim() } as const
  const missing = (Object.keys(parts) as (keyof typeof parts)[]).filter((part) => !parts[part]).map((part) => w[part])
  const first = sections.find((section) => wrongs[section])
  if (first) return wrongs[first]
  return missing.length > 0 ? w.missing(list(missing, c.andMore)) : undefined
}
