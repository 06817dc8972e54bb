/** The draft of the form that creates servers, and the requests that it makes. Pure. */
import type { ItemOf } from '../../api/api.ts'
import type { ApiRequest, ReplyFor } from '../../api/operations.ts'
import { expandNames } from '../../lib/names.ts'
import type { Line } from '../pricing/lines.ts'
import { linesOfAddress } from '../primary-ips/prices.ts'
import { type AllPicked, parts } from './new-data.ts'
import type { NewServer } from './part.ts'
import { linesOfServer } from './prices.ts'

export type ServerType = ItemOf<'server_types_list'>
export type Image = ItemOf<'images_list'>
type Prices = ReplyFor<'pricing_get'>['pricing']

/** One act: a server is created, and then its backups are turned on. */
type Creation = ApiRequest<'servers_create'> & { readonly afterwards?: readonly 'servers_enableBackup'[] }

export interface Draft {
  /** May hold a range: `web-{1..5}`. */
  readonly name: string
  readonly location: string | undefined
  /** The name of a system image or app, which may exist for several architectures, or the id of a snapshot or backup. */
  readonly image: string | undefined
  readonly type: string | undefined
  readonly ipv4: boolean
  readonly ipv6: boolean
  /** The resources of other families that it is to have. */
  readonly picked: AllPicked
  readonly placementGroup: number | undefined
  readonly backups: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly userData: string
}

/** The names in a name with ranges; the text itself without one, and where a range is none that can be created. */
export function namesIn(text: string): readonly string[] {
  const expanded = expandNames(text.trim())
  return expanded.ok ? expanded.names : [text.trim()]
}

/** Tells whether a range in a name counts down, or further than is created at once. */
export function isBadRange(text: string): boolean {
  return !expandNames(text.trim()).ok
}

/** A name that is free: `web-4` after `web-3`. */
export function proposedName(names: readonly string[]): string {
  const parts = names.map((name) => /^(.*-)(\d+)$/.exec(name)).filter((part) => part !== null)
  const stem = mostFrequent(parts.map((part) => part[1]!)) ?? 'server-'
  const used = parts.filter((part) => part[1] === stem).map((part) => Number(part[2]))
  return `${stem}${Math.max(0, ...used) + 1}`
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = Map.groupBy(texts, (text) => text)
  return [...counts].sort(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

/** The images that a choice stands for: one, or one for each architecture. */
export function imagesOf(choice: string | undefined, images: readonly Image[]): readonly Image[] {
  return images.filter((image) => choiceOf(image) === choice)
}

export function choiceOf({ id, name, type }: Image): string {
  return (type === 'system' || type === 'app') && name ? name : String(id)
}

interface Deprecated {
  readonly deprecation?: { readonly unavailable_after: string } | null
}

/** Tells whether something is no longer offered. */
export function isPast({ deprecation }: Deprecated, now: number): boolean {
  return Boolean(deprecation) && Date.parse(deprecation!.unavailable_after) <= now
}

/** The reason why a type cannot be had with a location and an image. */
export type Obstacle =
  | { readonly kind: 'architecture'; readonly wanted: string; readonly has: string }
  | { readonly kind: 'elsewhere'; readonly places: readonly string[] }
  | { readonly kind: 'full'; readonly places: readonly string[] }
  | { readonly kind: 'disk'; readonly needed: number }
  | { readonly kind: 'ended' }

export function obstacleOf(
  type: ServerType,
  { location, image }: Pick<Draft, 'location' | 'image'>,
  images: readonly Image[],
  now: number,
): Obstacle | undefined {
  const open = type.locations.filter((place) => !isPast(place, now))
  if (isPast(type, now) || open.length === 0) return { kind: 'ended' }
  const chosen = imagesOf(image, images)
  const fitting = chosen.filter(({ architecture }) => architecture === type.architecture)
  if (chosen[0] && fitting.length === 0) {
    return { kind: 'architecture', wanted: chosen[0].architecture, has: type.architecture }
  }
  const needed = fitting[0]?.disk_size ?? 0
  if (needed > type.disk) return { kind: 'disk', needed }
  const here = open.find(({ name }) => name === location)
  const others = (isFree: boolean) =>
    open.filter(({ name, available }) => name !== location && (available || !isFree)).map(({ name }) => name)
  if (location && !here) return { kind: 'elsewhere', places: others(false) }
  if (here && !here.available) return { kind: 'full', places: others(true) }
  return undefined
}

/** The requests that a draft makes, one for each name. Parts that are not chosen yet are empty. */
export function requestsOf(draft: Draft, images: readonly Image[], types: readonly ServerType[]): readonly Creation[] {
  const type = types.find(({ name }) => name === draft.type)
  const image = imagesOf(draft.image, images).find(({ architecture }) => !type || architecture === type.architecture)
  const rest = {
    server_type: draft.type ?? '',
    image: image ? (image.name && image.type === 'system' ? image.name : image.id) : '',
    ...(draft.location ? { location: draft.location } : {}),
    ...bodyOfParts(draft.picked),
    ...(draft.placementGroup ? { placement_group: draft.placementGroup } : {}),
    ...(Object.keys(draft.labels).length > 0 ? { labels: { ...draft.labels } } : {}),
    ...(draft.userData ? { user_data: draft.userData } : {}),
    ...(draft.ipv4 && draft.ipv6 ? {} : { public_net: { enable_ipv4: draft.ipv4, enable_ipv6: draft.ipv6 } }),
  }
  return namesIn(draft.name).map((name) => ({
    operation: 'servers_create',
    body: { name, ...rest },
    ...(draft.backups ? { afterwards: ['servers_enableBackup'] } : {}),
  }))
}

function bodyOfParts(picked: AllPicked): Partial<NewServer> {
  const chosen = parts.filter(({ family }) => picked[family].ids.length > 0)
  const bodies = chosen.map(({ family, itemOf = (id) => id, question }) => {
    const { ids, answer } = picked[family]
    return { [family]: ids.map(itemOf), ...(question ? { [question.field]: answer } : {}) }
  })
  return Object.assign({}, ...bodies)
}

/** Returns what one server of a draft costs, by parts; nothing where its type has no price in its location. */
export function costsOf({ type, location = '', backups, ipv4, ipv6 }: Draft, prices: Prices): readonly Line[] {
  if (type === undefined) return []
  const server = linesOfServer({ type, location, backups }, prices)
  const addresses = [...(ipv4 ? ['ipv4' as const] : []), ...(ipv6 ? ['ipv6' as const] : [])]
  return server.length === 0
    ? []
    : [...server, ...addresses.flatMap((version) => linesOfAddress(version, location, prices))]
}
