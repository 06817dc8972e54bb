/** Which images a list shows. Pure. */
import type { SystemImage } from '../../catalogue/catalogue.ts'
import type { Labels } from '../../kernel/labels.ts'
import { matches, type Selector } from '../../kernel/selectors.ts'

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
  return label_selector === undefined || matches(label_selector, noLabels)
}

/** A deprecated image appears only on demand, and not at all once nobody can order it (facts: Images 3). */
function isShown({ deprecation }: SystemImage, includeDeprecated: boolean, now: number): boolean {
  if (deprecation === null) return true
  return includeDeprecated && now <= Date.parse(deprecation.unavailableAfter)
}
