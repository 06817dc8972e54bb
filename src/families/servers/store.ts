/** Servers in the database. */

import { matches, type Selector } from '../../kernel/contract/selectors.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { preparedScoped, scoped } from '../../kernel/data/scoped.ts'
import { idsLabelled, rarestTerm, readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import { type Manner, type Power, type Rescue, restingStatus, type Server, type ServerStatus } from './domain.ts'
import { forgetSessions } from './screens/store.ts'
import { changeable, type ServerRow } from './tables.ts'

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
    isoId: row.iso,
    cores: row.cores,
    memoryMb: row.memory_mb,
    primaryDiskSize: row.primary_disk_size,
    power: row.power,
    powerInForce: row.power_in_force,
    manner: row.manner,
    cycle: row.cycle,
    installation: row.installation,
    backupWindow: row.backup_window,
    userData: row.user_data,
    sshKeys: JSON.parse(row.ssh_keys) as string[],
    rootPasswordHash: row.root_password_hash,
    passwordReset: row.password_reset,
    rescue: rescueIn(row),
    labels: readLabels(row.labels),
    protection: { delete: row.protect_delete === 1, rebuild: row.protect_rebuild === 1 },
    version: row.version,
  }
}

function rescueIn({ rescue_until: until, rescue_keys: keys, rescue_password_hash: hash }: ServerRow): Rescue | null {
  if (until === null || keys === null || hash === null) return null
  return { until, sshKeys: JSON.parse(keys) as string[], rootPasswordHash: hash }
}

export const servers = defineResource({
  ...spelling,
  fromRow,
  unique: { name: nameTaken('server name is already used') },
})

export const { hold: holdServers, byIds: serversByIds } = servers

const placeOf = preparedScoped((rows, id: number) => rows.selectFrom('server').select('location').where('id', '=', id))

/** Where a server is, as the id of a location; undefined when it is gone. */
export async function locationOfServer(query: Queries, scope: ProjectScope, id: number): Promise<number | undefined> {
  const [row] = await placeOf(query, scope, id)
  return row?.location
}

/** Every server that the selector matches, by id. */
export async function serversMatching(query: Queries, scope: ProjectScope, selector: Selector): Promise<Server[]> {
  const term = await rarestTerm(query, scope, 'server', selector)
  let select = scoped(query, scope).selectFrom('server').selectAll()
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

/** Adds a server that is still to be made. Errors: `uniqueness_error`. */
export function insertServer(tx: Transaction, scope: ProjectScope, given: NewServer): Promise<Server> {
  return servers.insert(tx, scope, {
    name: given.name,
    status: 'initializing',
    server_type: given.serverTypeId,
    location: given.locationId,
    image: given.imageId,
    iso: null,
    cores: given.cores,
    memory_mb: given.memoryMb,
    primary_disk_size: given.primaryDiskSize,
    power: 'off',
    power_in_force: 'off',
    manner: 'hard',
    cycle: null,
    installation: null,
    user_data: given.userData,
    ssh_keys: JSON.stringify(given.sshKeys),
    root_password_hash: given.rootPasswordHash,
    password_reset: null,
    ...rescueColumns(null),
    labels: given.labels,
    protect_delete: 0,
    protect_rebuild: 0,
    backup_window: null,
    last_backup_day: '',
  })
}

/** What is desired of a server's power from now on. */
export interface PowerChange {
  readonly power: Power
  readonly manner: Manner
  /** Restart once more, on behalf of this action. */
  readonly cycle?: number
  readonly status: ServerStatus
}

/** Sets the desired power; the caller renews the desired state. */
export async function setPower(tx: Transaction, scope: ProjectScope, id: number, change: PowerChange): Promise<void> {
  await servers.set(tx, scope, id, change)
}

/** Records what the infrastructure confirmed; the server rests from now on. */
export async function confirmPower(tx: Transaction, scope: ProjectScope, id: number, power: Power): Promise<void> {
  await servers.set(tx, scope, id, { power_in_force: power, status: restingStatus(power) })
}

/** What decides how a server rests, in the columns of its row. */
export const restingOf = preparedScoped((rows, id: number) =>
  rows.selectFrom('server').select(['power', 'power_in_force', 'cycle', 'rescue_until']).where('id', '=', id),
)

/** Sets where the next boot goes; the caller renews the desired state, unless a boot has just used the rescue system up. */
export async function setRescue(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  rescue: Rescue | null,
): Promise<void> {
  await servers.set(tx, scope, id, rescueColumns(rescue))
}

function rescueColumns(rescue: Rescue | null) {
  return {
    rescue_until: rescue?.until ?? null,
    rescue_keys: rescue && JSON.stringify(rescue.sshKeys),
    rescue_password_hash: rescue?.rootPasswordHash ?? null,
  }
}

/** Gives up a change that failed: what is desired is what was last confirmed. The caller renews the desired state. */
export async function revertPower(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const server = await servers.find(tx.query, scope, id)
  if (!server) return
  const { powerInForce: power } = server
  await servers.set(tx, scope, id, { power, manner: 'hard', cycle: null, status: restingStatus(power) })
}

/** Deletes the row and its labels; nothing happens when it is gone already. */
export async function deleteServer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await forgetFormer(tx, scope, id)
  await forgetSessions(tx.query, scope, id)
  const server = await servers.find(tx.query, scope, id)
  if (server) await servers.remove(tx, scope, server)
}

/** Remembers how a server is before an action changes it. */
export async function rememberFormer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await forgetFormer(tx, scope, id)
  const rows = scoped(tx.query, scope)
  const former = await rows.selectFrom('server').select(changeable).where('id', '=', id).executeTakeFirstOrThrow()
  await rows.insertInto('server_former', [{ server_id: id, ...former }]).execute()
}

/** Gives up a change: what a server was is desired again. The caller renews the desired state. */
export async function restoreFormer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const former = await scoped(tx.query, scope)
    .selectFrom('server_former')
    .select(changeable)
    .where('server_id', '=', id)
    .executeTakeFirst()
  if (former) await servers.set(tx, scope, id, former)
  await forgetFormer(tx, scope, id)
}

/** Forgets what a failed action would go back to: the change has come about, or the server is gone. */
export async function forgetFormer(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('server_former').where('server_id', '=', id).execute()
}
