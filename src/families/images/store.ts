/** Every statement on the table of images. */
import { sql } from 'kysely'
import type { SystemImage } from '../../catalogue/catalogue.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { insertRowsAlong } from '../../kernel/data/prepared.ts'
import { notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Listing, listJoined, type PageQuery } from '../../kernel/resource/listing.ts'
import { changedMeanwhile, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { ImageFilter, OwnImage } from './domain.ts'
import type { ImageRow } from './tables.ts'

/** How many a Project may have is limited; those whose data is only waiting to be removed do not count. */
export const limitedImages: LimitedKind = { path: 'images', title: 'image', type: 'image', except: 'deleted' }

const imageListing: Listing = {
  table: 'image',
  kind: 'image',
  columns: { id: 'id', created: 'created' },
}

const ownTypes = ['snapshot', 'backup']
const shown = ['available', 'creating'] as const

function fromRow(row: ImageRow): OwnImage {
  return {
    id: row.id,
    type: row.type,
    status: row.status === 'creating' ? 'creating' : 'available',
    description: row.description,
    imageSizeMb: row.image_size_mb,
    diskSize: row.disk_size,
    created: row.created,
    createdFrom: { id: row.created_from_id, name: row.created_from_name },
    boundTo: row.bound_to,
    osFlavor: row.os_flavor,
    osVersion: row.os_version,
    architecture: row.architecture,
    isProtected: row.protect_delete === 1,
    labels: readLabels(row.labels),
    version: row.version,
  }
}

/** One page of the Project's own images together with those of the catalogue that the same request shows. */
export async function listImages(
  query: Queries,
  scope: ProjectScope,
  request: PageQuery & ImageFilter,
  catalogue: readonly SystemImage[],
): Promise<{ images: (SystemImage | OwnImage)[]; pagination: Awaited<ReturnType<typeof listJoined>>['pagination'] }> {
  const { status, architecture, bound_to } = request
  const type = request.type?.filter((one) => ownTypes.includes(one)) ?? ownTypes
  const excluded = type.length === 0 || request.name !== undefined
  const { entries, pagination } = await listJoined<ImageRow, SystemImage>(query, scope, imageListing, request, {
    items: catalogue,
    fieldOf: (image, field) => image[field as 'id' | 'name' | 'created'],
    filters: excluded ? undefined : { type, status: status ?? shown, architecture, bound_to },
  })
  return { images: entries.map((entry) => ('row' in entry ? fromRow(entry.row) : entry.item)), pagination }
}

/** The images with these ids; missing and deleted ones are left out. */
export async function imagesByIds(query: Queries, scope: ProjectScope, ids: readonly number[]): Promise<OwnImage[]> {
  if (ids.length === 0) return []
  const rows = await query
    .selectFrom('image')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('id', 'in', ids)
    .where('status', 'in', shown)
    .execute()
  return rows.map(fromRow)
}

export async function findImage(query: Queries, scope: ProjectScope, id: number): Promise<OwnImage | undefined> {
  return (await imagesByIds(query, scope, [id]))[0]
}

/** Errors: `not_found`. */
export async function getImage(query: Queries, scope: ProjectScope, id: number): Promise<OwnImage> {
  const image = await findImage(query, scope, id)
  if (!image) throw notFound('image', id)
  return image
}

/** Reads an image that stays as it is until the transaction ends. */
export async function holdImage(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  mode: 'share' | 'update' = 'share',
): Promise<OwnImage | undefined> {
  const { rows } = await sql<ImageRow>`
    select * from image where project_id = ${scope.projectId} and id = ${id} and status in (${sql.join(shown)})
    ${tx.dialect.lockRows(mode)}
  `.execute(tx.query)
  return rows[0] && fromRow(rows[0])
}

export type NewImage = Pick<
  OwnImage,
  'type' | 'description' | 'diskSize' | 'createdFrom' | 'osFlavor' | 'osVersion' | 'architecture' | 'labels'
>

/** Adds an image that is still to be made. A backup belongs to the server that it is made of. */
export async function insertImage(tx: Transaction, scope: ProjectScope, given: NewImage): Promise<OwnImage> {
  const row: ImageRow = {
    id: await drawId(tx),
    project_id: scope.projectId,
    type: given.type,
    status: 'creating',
    description: given.description,
    image_size_mb: null,
    disk_size: given.diskSize,
    created: timestamp(tx.now),
    created_from_id: given.createdFrom.id,
    created_from_name: given.createdFrom.name,
    bound_to: given.type === 'backup' ? given.createdFrom.id : null,
    os_flavor: given.osFlavor,
    os_version: given.osVersion,
    architecture: given.architecture,
    protect_delete: 0,
    labels: JSON.stringify(given.labels),
    version: 1,
  }
  await insertRowsAlong(tx, 'image', [row])
  await indexLabels(tx, scope, { kind: 'image', id: row.id }, given.labels, {})
  return fromRow(row)
}

/** Writes what a user may change over the version that was read. A snapshot is bound to no server. */
export async function updateImage(
  tx: Transaction,
  scope: ProjectScope,
  before: OwnImage,
  change: { description: string; labels: Labels; type: OwnImage['type'] },
): Promise<OwnImage | typeof changedMeanwhile> {
  const columns = change.type === 'snapshot' ? { ...change, bound_to: null } : change
  const row = await replaceVersion<ImageRow>(tx, scope, 'image', before, columns)
  return row === changedMeanwhile ? row : fromRow(row)
}

async function setImage(tx: Transaction, scope: ProjectScope, id: number, change: Partial<ImageRow>): Promise<void> {
  await tx.query
    .updateTable('image')
    .set(change)
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

export async function setProtection(tx: Transaction, scope: ProjectScope, id: number, on: boolean): Promise<void> {
  await setImage(tx, scope, id, { protect_delete: on ? 1 : 0 })
}

/** Records that the copy is complete. */
export async function completeImage(tx: Transaction, scope: ProjectScope, id: number, sizeMb: number): Promise<void> {
  await setImage(tx, scope, id, { status: 'available', image_size_mb: sizeMb })
}

/** Hides an image for good; its row stays until its data is removed. */
export async function hideImage(tx: Transaction, scope: ProjectScope, image: OwnImage): Promise<void> {
  const { id, labels, version } = image
  await setImage(tx, scope, id, { status: 'deleted', labels: '{}', bound_to: null, version: version + 1 })
  await indexLabels(tx, scope, { kind: 'image', id }, {}, labels)
}

/** Forgets an image whose data is removed. */
export async function deleteImage(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await tx.query
    .deleteFrom('image')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .where('status', '=', 'deleted')
    .execute()
}

/** The backups of a server, oldest first; nobody changes them until the transaction ends. */
export async function lockBackups(tx: Transaction, scope: ProjectScope, serverId: number): Promise<OwnImage[]> {
  const { rows } = await sql<ImageRow>`
    select * from image where project_id = ${scope.projectId} and bound_to = ${serverId} order by id
    ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  return rows.map(fromRow)
}

/** Deleted images of all Projects past an id, whose data may be waiting to be removed. */
export async function deletedImages(
  query: Queries,
  after: number,
  limit: number,
): Promise<{ id: number; serverId: number; scope: ProjectScope }[]> {
  const rows = await query
    .selectFrom('image')
    .select(['id', 'created_from_id', 'project_id'])
    .where('status', '=', sql<'deleted'>`'deleted'`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, serverId: row.created_from_id, scope: { projectId: row.project_id } }))
}
