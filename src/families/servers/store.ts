/** Every statement on the table of servers. */
import { sql } from 'kysely'
import type { Labels } from '../../kernel/contract/labels.ts'
import { matches, type Selector } from '../../kernel/contract/selectors.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { idsLabelled, indexLabels, rarestTerm, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Filters, type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import { changedMeanwhile, insertNamed, refusingTakenNames, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { type Manner, type Power, restingStatus, type Server, type ServerStatus } from './domain.ts'
import type { ServerRow } from './tables.ts'

/** How many a Project may have is limited. */
export const limitedServers: LimitedKind = { path: 'servers', title: 'server', type: 'server' }

const nameTaken = 'server name is already used'

const serverListing: Listing = {
  table: 'server',
  kind: 'server',
  columns: { id: 'id', name: 'name', created: 'created' },
}

/** A row as a server. */
export function fromRow(row: ServerRow): Server {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    created: row.created,
    serverTypeId: row.server_type,
    locationId: row.location,
    imageId: row.image,
    cores: row.cores,
    memoryMb: row.memory_mb,
    primaryDiskSize: row.primary_disk_size,
    power: row.power,
    powerInForce: row.power_in_force,
    manner: row.manner,
    cycle: row.cycle,
    generation: row.generation,
    installation: row.installation,
    backupWindow: row.backup_window,
    userData: row.user_data,
    sshKeys: JSON.parse(row.ssh_keys) as string[],
    rootPasswordHash: row.root_password_hash,
    labels: readLabels(row.labels),
    protection: { delete: row.protect_delete === 1, rebuild: row.protect_rebuild === 1 },
    version: row.version,
  }
}

export async function listServers(query: Queries, scope: ProjectScope, page: PageQuery, filters: Filters) {
  const { rows, pagination } = await listPage<ServerRow>(query, scope, serverListing, page, filters)
  return { servers: rows.map(fromRow), pagination }
}

function selectServers(query: Queries, scope: ProjectScope) {
  return query.selectFrom('server').selectAll().where('project_id', '=', scope.projectId)
}

export async function findServer(query: Queries, scope: ProjectScope, id: number): Promise<Server | undefined> {
  const row = await selectServers(query, scope).where('id', '=', id).executeTakeFirst()
  return row && fromRow(row)
}

/** Errors: `not_found`. */
export async function getServer(query: Queries, scope: ProjectScope, id: number): Promise<Server> {
  const server = await findServer(query, scope, id)
  if (!server) throw notFound('server', id)
  return server
}

/** Reads a server for a change: nobody else changes it until the transaction ends. Errors: `not_found`. */
export async function lockServer(tx: Transaction, scope: ProjectScope, id: number): Promise<Server> {
  const { rows } = await sql<ServerRow>`
    select * from server where project_id = ${scope.projectId} and id = ${id} ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  if (!rows[0]) throw notFound('server', id)
  return fromRow(rows[0])
}

/** Those of `ids` that the Project has; they stay until the transaction ends. */
export async function holdServers(
  tx: Transaction,
  scope: ProjectScope,
  ids: readonly number[],
  mode: 'share' | 'update' = 'share',
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    select id from server where project_id = ${scope.projectId} and id in (${sql.join(ids)}) order by id
    ${tx.dialect.lockRows(mode)}
  `.execute(tx.query)
  return new Set(rows.map((row) => row.id))
}

/** The servers with these ids; missing ones are left out. */
export async function serversByIds(query: Queries, scope: ProjectScope, ids: readonly number[]): Promise<Server[]> {
  if (ids.length === 0) return []
  return (await selectServers(query, scope).where('id', 'in', ids).orderBy('id').execute()).map(fromRow)
}

/** Every server that the selector matches, by id. */
export async function serversMatching(query: Queries, scope: ProjectScope, selector: Selector): Promise<Server[]> {
  const term = await rarestTerm(query, scope, 'server', selector)
  let select = selectServers(query, scope)
  if (term) select = select.where('id', 'in', idsLabelled(query, scope, 'server', term))
  const rows = await select.orderBy('id').execute()
  return rows.filter((row) => matches(selector, readLabels(row.labels))).map(fromRow)
}

export type NewServer = Pick<
  Server,
  | 'name'
  | 'serverTypeId'
  | 'locationId'
  | 'imageId'
  | 'cores'
  | 'memoryMb'
  | 'primaryDiskSize'
  | 'userData'
  | 'sshKeys'
  | 'rootPasswordHash'
  | 'labels'
>

/** Errors: `uniqueness_error`. */
export async function insertServer(tx: Transaction, scope: ProjectScope, given: NewServer): Promise<Server> {
  const row: ServerRow = {
    id: await drawId(tx),
    project_id: scope.projectId,
    name: given.name,
    status: 'initializing',
    created: timestamp(tx.now),
    server_type: given.serverTypeId,
    location: given.locationId,
    image: given.imageId,
    cores: given.cores,
    memory_mb: given.memoryMb,
    primary_disk_size: given.primaryDiskSize,
    power: 'off',
    power_in_force: 'off',
    manner: 'hard',
    cycle: null,
    generation: 1,
    installation: null,
    user_data: given.userData,
    ssh_keys: JSON.stringify(given.sshKeys),
    root_password_hash: given.rootPasswordHash,
    labels: JSON.stringify(given.labels),
    protect_delete: 0,
    protect_rebuild: 0,
    version: 1,
    backup_window: null,
    last_backup_day: '',
  }
  await insertNamed(tx, 'server', row, nameTaken)
  await indexLabels(tx, scope, { kind: 'server', id: row.id }, given.labels, {})
  return fromRow(row)
}

/** Writes name and labels over the version that was read. Errors: `uniqueness_error`. */
export async function updateServer(
  tx: Transaction,
  scope: ProjectScope,
  before: Server,
  change: { name: string; labels: Labels },
): Promise<Server | typeof changedMeanwhile> {
  const row = await refusingTakenNames(() => replaceVersion<ServerRow>(tx, scope, 'server', before, change), nameTaken)
  return row === changedMeanwhile ? row : fromRow(row)
}

/** What is wanted of a server's power from now on. */
export interface PowerChange {
  readonly power: Power
  readonly manner: Manner
  /** Restart once more, on behalf of this action. */
  readonly cycle?: number
  readonly status: ServerStatus
}

/** Sets the desired power. */
export async function wantPower(tx: Transaction, scope: ProjectScope, id: number, change: PowerChange): Promise<void> {
  await setServer(tx, scope, id, change)
}

/** Records what the infrastructure confirmed; the server rests from now on. */
export async function confirmPower(tx: Transaction, scope: ProjectScope, id: number, power: Power): Promise<void> {
  await setServer(tx, scope, id, { power_in_force: power, status: restingStatus(power) })
}

/** Gives up a wish that could not be met: wanted is what was last confirmed. */
export async function revertPower(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const server = await findServer(tx.query, scope, id)
  if (!server) return
  const { powerInForce } = server
  const status = restingStatus(powerInForce)
  await setServer(tx, scope, id, { power: powerInForce, manner: 'hard', cycle: null, status })
}

export async function setProtection(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  protection: { delete: boolean; rebuild: boolean },
): Promise<void> {
  await setServer(tx, scope, id, {
    protect_delete: protection.delete ? 1 : 0,
    protect_rebuild: protection.rebuild ? 1 : 0,
  })
}

/** Each change of the desired state is a new generation; a driver refuses to go back to an older one. */
export async function setServer(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  change: Partial<ServerRow>,
): Promise<void> {
  await tx.query
    .updateTable('server')
    .set({ ...change, generation: sql<number>`generation + 1` })
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

/** Deletes the row and its labels; nothing happens when it is gone already. */
export async function deleteServer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const row = await tx.query
    .deleteFrom('server')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .returning('labels')
    .executeTakeFirst()
  await dropFormer(tx, scope, id)
  if (row) await indexLabels(tx, scope, { kind: 'server', id }, {}, readLabels(row.labels))
}

/** Forgets what was before: the new disk is there, or the server is not. */
export async function dropFormer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await tx.query
    .deleteFrom('server_former')
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', id)
    .execute()
}
