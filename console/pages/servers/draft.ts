/** What is being filled in to create servers, and the requests that it makes. Pure. */
import type { ItemOf } from '../../api/api.ts'
import type { BodyFor } from '../../api/operations.ts'

export type ServerType = ItemOf<'server_types_list'>
export type Image = ItemOf<'images_list'>

export interface Draft {
  /** May hold a range: `web-{1..5}`. */
  readonly name: string
  readonly location: string | undefined
  /** The name of a system image or app, which may exist for several architectures, or the id of a snapshot or backup. */
  readonly image: string | undefined
  readonly type: string | undefined
  readonly ipv4: boolean
  readonly ipv6: boolean
  readonly sshKeys: readonly number[]
  readonly firewalls: readonly number[]
  readonly networks: readonly number[]
  readonly placementGroup: number | undefined
  readonly backups: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly userData: string
}

const range = /\{(\d{1,4})\.\.(\d{1,4})\}/
const mostAtOnce = 50

/** The names in a name with a range; the text itself without one. */
export function namesIn(text: string): readonly string[] {
  const found = range.exec(text)
  if (!found) return [text.trim()]
  const [from, to] = [Number(found[1]), Number(found[2])]
  const count = Math.min(Math.max(0, to - from + 1), mostAtOnce)
  return Array.from({ length: count }, (_, index) => text.trim().replace(range, String(from + index)))
}

/** Whether a range in a name counts down, or further than is created at once. */
export function isBadRange(text: string): boolean {
  const [, from, to] = (range.exec(text) ?? []).map(Number)
  return from !== undefined && to !== undefined && (to < from || to - from >= mostAtOnce)
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

/** Why a type cannot be had with this location and image; undefined when it can. */
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
  const isPast = (deprecation: { readonly unavailable_after: string } | null | undefined) =>
    deprecation !== null && deprecation !== undefined && Date.parse(deprecation.unavailable_after) <= now
  const open = type.locations.filter(({ deprecation }) => !isPast(deprecation))
  if (isPast(type.deprecation) || open.length === 0) return { kind: 'ended' }
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
export function requestsOf(
  draft: Draft,
  images: readonly Image[],
  types: readonly ServerType[],
): readonly BodyFor<'servers_create'>[] {
  const type = types.find(({ name }) => name === draft.type)
  const image = imagesOf(draft.image, images).find(({ architecture }) => !type || architecture === type.architecture)
  const rest = {
    server_type: draft.type ?? '',
    image: image ? (image.name && image.type === 'system' ? image.name : image.id) : '',
    ...(draft.location ? { location: draft.location } : {}),
    ...(draft.sshKeys.length > 0 ? { ssh_keys: [...draft.sshKeys] } : {}),
    ...(draft.firewalls.length > 0 ? { firewalls: draft.firewalls.map((firewall) => ({ firewall })) } : {}),
    ...(draft.networks.length > 0 ? { networks: [...draft.networks] } : {}),
    ...(draft.placementGroup ? { placement_group: draft.placementGroup } : {}),
    ...(Object.keys(draft.labels).length > 0 ? { labels: { ...draft.labels } } : {}),
    ...(draft.userData ? { user_data: draft.userData } : {}),
    ...(draft.ipv4 && draft.ipv6 ? {} : { public_net: { enable_ipv4: draft.ipv4, enable_ipv6: draft.ipv6 } }),
  }
  return namesIn(draft.name).map((name) => ({ name, ...rest }))
}

interface PriceList {
  readonly currency: string
  readonly server_backup: { readonly percentage: string }
  readonly primary_ips: readonly {
    readonly type: string
    readonly prices: readonly {
      readonly location: string
      readonly price_monthly: Amount
      readonly price_hourly: Amount
    }[]
  }[]
}

interface Amount {
  readonly gross: string
}

export interface Cost {
  readonly key: 'type' | 'ipv4' | 'ipv6' | 'backups'
  readonly monthly: number
  readonly hourly: number
}

/** What one server of a draft costs, by parts. */
export function costsOf(draft: Draft, types: readonly ServerType[], pricing: PriceList): readonly Cost[] {
  const type = types.find(({ name }) => name === draft.type)
  const at = type?.prices.find(({ location }) => location === draft.location) ?? type?.prices[0]
  if (!at) return []
  const cost = (key: Cost['key'], monthly: Amount | undefined, hourly: Amount | undefined, share = 1): Cost => ({
    key,
    monthly: Number(monthly?.gross ?? 0) * share,
    hourly: Number(hourly?.gross ?? 0) * share,
  })
  const ipv4 = pricing.primary_ips
    .find((one) => one.type === 'ipv4')
    ?.prices.find(({ location }) => location === at.location)
  return [
    cost('type', at.price_monthly, at.price_hourly),
    ...(draft.ipv4 ? [cost('ipv4', ipv4?.price_monthly, ipv4?.price_hourly)] : []),
    ...(draft.ipv6 ? [cost('ipv6', undefined, undefined)] : []),
    ...(draft.backups
      ? [cost('backups', at.price_monthly, at.price_hourly, Number(pricing.server_backup.percentage) / 100)]
      : []),
  ]
}
