/** What other families may ask about images. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Template } from './domain.ts'
import { images } from './store.ts'

export { type OwnImage, outOfReach, type Template, unfitFor } from './domain.ts'
export { imageToWire, ownImageToWire } from './view.ts'

export const { byIds: imagesByIds } = images

/**
 * The image that a request for a server names. A name stands for one image in each architecture, and the machine decides
 * which (spec: Image); snapshots and backups have ids alone.
 */
export async function findTemplate(
  query: Queries,
  scope: ProjectScope,
  catalogue: Catalogue,
  key: { id: number } | { name: string },
  architecture: Template['architecture'] | undefined,
): Promise<Template | undefined> {
  const named = 'id' in key ? [catalogue.imageById(key.id)] : catalogue.imagesByName(key.name)
  const known = named.find((image) => image?.architecture === architecture) ?? named[0]
  if (known) return { ...known, status: 'available', isOwn: false, locationId: null }
  const own = 'id' in key ? await images.find(query, scope, key.id) : undefined
  return own && { ...own, deprecation: null, isOwn: true }
}
