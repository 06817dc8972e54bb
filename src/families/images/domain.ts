/** Images, which of them a list shows, and which a server can be made from. Pure. */
import type { Architecture, Deprecation, SystemImage } from '../../catalogue/catalogue.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import { askedOf, matches, type Selector } from '../../kernel/contract/selectors.ts'

/** A copy of a server's disk that belongs to a Project. */
export interface OwnImage {
  readonly id: number
  readonly type: 'snapshot' | 'backup'
  readonly status: 'available' | 'creating'
  readonly description: string
  /** Null until it is available. */
  readonly imageSizeMb: number | null
  /** GB of disk that its server had. */
  readonly diskSize: number
  readonly created: string
  readonly createdFrom: { readonly id: number; readonly name: string }
  /** Where its server is or was, as the id of a location; null when nobody knows, for one that is everywhere. */
  readonly locationId: number | null
  /** The server that a backup belongs to; null for snapshots. */
  readonly boundTo: number | null
  readonly osFlavor: SystemImage['os_flavor']
  readonly osVersion: string | null
  readonly architecture: Architecture
  readonly isProtected: boolean
  readonly labels: Labels
  readonly version: number
}

/** What matters about an image, of the catalogue or of a Project, to those who make a server from it. */
export interface Template
  extends Pick<OwnImage, 'id' | 'architecture' | 'diskSize' | 'osFlavor' | 'osVersion' | 'locationId'> {
  readonly status: OwnImage['status']
  readonly deprecation: Deprecation | null
  /** Whether it belongs to a Project and so may go away. */
  readonly isOwn: boolean
}

/** Backups that a server keeps: one more drops the oldest. */
export const backupSlots = 7

/** Why a machine of this architecture and disk (GB) cannot be made from an image at `now`; undefined when it can. */
export function unfitFor(
  image: Template,
  machine: { readonly architecture: Architecture; readonly disk: number },
  now: number,
): string | undefined {
  const { architecture, diskSize, deprecation, status } = image
  if (architecture !== machine.architecture) return 'image has wrong architecture'
  if (diskSize > machine.disk) return 'image is larger than the disk of the server type'
  if (deprecation && Date.parse(deprecation.unavailable_after) < now) return 'image is no longer available'
  if (status !== 'available') return 'image is not available yet'
  return undefined
}

/** Why an image is not where a server is to be made from it: hosts have none of what others copied. */
export function outOfReach(
  { locationId }: Pick<Template, 'locationId'>,
  target: number,
  infrastructureOf: (location: number) => string,
): string | undefined {
  if (locationId === null || infrastructureOf(locationId) === infrastructureOf(target)) return undefined
  return 'image is on other hosts than those of the location'
}

/** Conditions that must all hold; undefined means any, and of several values one is enough. */
export interface ImageFilter {
  readonly type: readonly string[] | undefined
  readonly status: readonly string[] | undefined
  /** Ids of servers whose backups are asked for. */
  readonly bound_to: readonly number[] | undefined
  readonly include_deprecated: boolean
  readonly name: string | undefined
  readonly label_selector: Selector | undefined
  readonly architecture: readonly string[] | undefined
}

/** Those of a server's backups, oldest first, that it has beyond its slots once `made` is complete. */
export function surplusBackups(backups: readonly OwnImage[], made: number): OwnImage[] {
  const complete = backups.filter(({ id, status }) => id === made || status === 'available')
  return complete.slice(0, Math.max(0, complete.length - backupSlots))
}

/** Images of the catalogue carry no labels. */
const noLabels: Labels = {}

/** The images of the catalogue that a list shows at `now` (ms since the epoch), in the order given. */
export function selectImages(images: readonly SystemImage[], filter: ImageFilter, now: number): readonly SystemImage[] {
  const { type, name, architecture } = filter
  if (!admitsCatalogue(filter)) return []
  return images.filter(
    (image) =>
      (name === undefined || image.name === name) &&
      (type?.includes(image.type) ?? true) &&
      (architecture?.includes(image.architecture) ?? true) &&
      isShown(image, filter.include_deprecated, now),
  )
}

/** Whether the filter leaves room for images that are always available, belong to no server and have no labels. */
function admitsCatalogue({ status, bound_to, label_selector }: ImageFilter): boolean {
  if (bound_to || (status && !status.includes('available'))) return false
  const selector = askedOf(label_selector)
  return selector === undefined || matches(selector, noLabels)
}

/** A deprecated image appears only on demand, and not at all once nobody can order it (spec: Images). */
function isShown({ deprecation }: SystemImage, includeDeprecated: boolean, now: number): boolean {
  if (deprecation === null || now < Date.parse(deprecation.announced)) return true
  return includeDeprecated && now <= Date.parse(deprecation.unavailable_after)
}
