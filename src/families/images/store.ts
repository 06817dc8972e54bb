/** The images that Projects have of their own, and deleted ones whose data is still to be removed. */
import type { Catalogue, SystemImage } from '../../catalogue/catalogue.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { insertScopedAlong, scoped } from '../../kernel/data/scoped.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { listJoined, type Page, type PageQuery } from '../../kernel/resource/listing.ts'
import { defineResource } from '../../kernel/resource/resource.ts'
import type { Listing } from '../../kernel/resource/source.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import type { ImageFilter, OwnImage, Template } from './domain.ts'
import type { ImageRow } from './tables.ts'

const imageListing: Listing = {
  table: 'image',
  kind: 'image',
  columns: { id: 'id', created: 'created' },
}

const ownTypes = ['snapshot', 'backup']

function fromRow(row: ImageRow): OwnImage {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    description: row.description,
    imageSizeMb: row.image_size_mb,
    diskSize: row.disk_size,
    created: row.created,
    createdFrom: { id: row.created_from_id, name: row.created_from_name },
    locationId: row.location,
    boundTo: row.bound_to,
    osFlavor: row.os_flavor,
    osVersion: row.os_version,
    architecture: row.architecture,
    isProtected: row.protect_delete === 1,
    labels: readLabels(row.labels),
    version: row.version,
  }
}

const resource = defineResource({ ...spelling, fromRow })

export const images: typeof resource = {
  ...resource,
  // A snapshot is bound to no server.
  update: (tx, scope, before, change) =>
    resource.update(tx, scope, before, change.type === 'snapshot' ? { ...change, bound_to: null } : change),
}

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
  if (known) return templateOf(known)
  const own = 'id' in key ? await images.find(query, scope, key.id) : undefined
  return own && { ...own, deprecation: null, isOwn: true }
}

function templateOf({ id, architecture, disk_size, os_flavor, os_version, deprecation }: SystemImage): Template {
  return {
    id,
    architecture,
    diskSize: disk_size,
    osFlavor: os_flavor,
    osVersion: os_version,
    deprecation,
    status: 'available',
    isOwn: false,
    locationId: null,
  }
}

/** One page of the Project's own images together with those of the catalogue that the same request shows. */
export function listImages(
  query: Queries,
  scope: ProjectScope,
  request: PageQuery & ImageFilter,
  catalogue: readonly SystemImage[],
): AtOnce<{ images: (SystemImage | OwnImage)[]; pagination: Page<ImageRow>['pagination'] }> {
  const { status, architecture, bound_to } = request
  const type = request.type?.filter((one) => ownTypes.includes(one))
  const excluded = type?.length === 0 || request.name !== undefined
  const listed = listJoined<ImageRow, SystemImage>(query, scope, imageListing, request, {
    items: catalogue,
    fieldOf: (image, field) => image[field as 'id' | 'name' | 'created'],
    filters: excluded ? undefined : { type, status, architecture, bound_to },
  })
  return after(listed, ({ entries, pagination }) => ({
    images: entries.map((entry) => ('row' in entry ? images.ofRow(entry.row) : entry.item)),
    pagination,
  }))
}

export type NewImage = Pick<
  OwnImage,
  | 'type'
  | 'description'
  | 'diskSize'
  | 'createdFrom'
  | 'locationId'
  | 'osFlavor'
  | 'osVersion'
  | 'architecture'
  | 'labels'
>

/** Adds an image that is still to be made. A backup belongs to the server that it is made of. */
export function insertImage(tx: Transaction, scope: ProjectScope, given: NewImage): Promise<OwnImage> {
  return images.insert(tx, scope, {
    type: given.type,
    status: 'creating',
    description: given.description,
    image_size_mb: null,
    disk_size: given.diskSize,
    created_from_id: given.createdFrom.id,
    created_from_name: given.createdFrom.name,
    location: given.locationId,
    bound_to: given.type === 'backup' ? given.createdFrom.id : null,
    os_flavor: given.osFlavor,
    os_version: given.osVersion,
    architecture: given.architecture,
    protect_delete: 0,
    labels: given.labels,
  })
}

/** Records that the copy is complete. */
export async function completeImage(tx: Transaction, scope: ProjectScope, id: number, sizeMb: number): Promise<void> {
  await images.set(tx, scope, id, { status: 'available', image_size_mb: sizeMb })
}

/** The backups of a server, oldest first; nobody changes them until the transaction ends. */
export async function lockBackups(tx: Transaction, scope: ProjectScope, serverId: number): Promise<OwnImage[]> {
  const rows = await scoped(tx.query, scope)
    .selectFrom('image')
    .selectAll()
    .where('bound_to', '=', serverId)
    .orderBy('id')
    .modifyEnd(tx.dialect.lockRows('update'))
    .execute()
  return rows.map(fromRow)
}

// ---- Data that is still to be removed ------------------------------------------------------------------------------

/** Deletes an image that the transaction has locked, and notes that its data is to be removed. */
export async function deleteImage(tx: Transaction, scope: ProjectScope, image: OwnImage): Promise<void> {
  const { id, createdFrom } = image
  await insertScopedAlong(tx, scope, 'image_removal', [{ id, server_id: createdFrom.id }])
  await images.remove(tx, scope, image)
}

/** Records that the data of a deleted image is gone. */
export async function endRemoval(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('image_removal').where('id', '=', id).execute()
}
