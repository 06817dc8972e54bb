/** Images of servers: made on request, and once a day of those that are backed up. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { startAction } from '../../kernel/actions/store.ts'
import type { Action } from '../../kernel/actions/tables.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import { ApiError } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { insertImage } from '../images/effects.ts'
import { findTemplate, type OwnImage } from '../images/reads.ts'
import { onServer } from './actions.ts'
import { createImage } from './disk-actions.ts'
import { openWindow, type Server } from './domain.ts'
import { dueServers } from './host.ts'
import { servers } from './store.ts'

const atOnce = 200

export interface ImageWish {
  readonly type: OwnImage['type']
  /** Undefined for one that is made from the server's name and the time. */
  readonly description: string | undefined
  readonly labels: Labels
}

/** Adds an image of a server that the caller has locked and starts what makes it. Errors: `locked`. */
export async function startImage(
  tx: Transaction,
  scope: ProjectScope,
  catalogue: Catalogue,
  server: Server,
  { type, description = `${server.name} ${timestamp(tx.now)}`, labels }: ImageWish,
): Promise<{ image: OwnImage; action: Action }> {
  const architecture = catalogue.serverTypeById(server.serverTypeId)?.architecture
  if (!architecture) throw new Error(`the catalogue lacks the type of server ${server.id}`)
  const source = server.imageId === null ? undefined : { id: server.imageId }
  const origin = source && (await findTemplate(tx.query, scope, catalogue, source, architecture))
  const image = await insertImage(tx, scope, {
    type,
    description,
    labels,
    architecture,
    diskSize: server.primaryDiskSize,
    createdFrom: { id: server.id, name: server.name },
    // The image that it was made from may be gone.
    osFlavor: origin?.osFlavor ?? 'unknown',
    osVersion: origin?.osVersion ?? null,
  })
  const { resources, locks, serial } = onServer(server.id)
  const ref = { type: 'image', id: image.id }
  const action = await startAction(tx, scope, {
    definition: createImage,
    input: { server: server.id, image: image.id },
    resources: [...resources, ref],
    locks: [...(locks ?? []), ref],
    serial: serial ?? [],
  })
  return { image, action }
}

/** Starts the backup of each server whose window is open and that had none in it yet, whichever process comes first. */
export async function backupChore({ db, clock, catalogue }: Platform): Promise<void> {
  const { window, day } = openWindow(clock.now())
  const failures: unknown[] = []
  // One that is locked has its turn later in its window, one that is gone never; none keeps the others waiting.
  const note = (error: unknown) => {
    if (!(error instanceof ApiError && (error.code === 'locked' || error.code === 'not_found'))) failures.push(error)
  }
  for (let after = 0; ; ) {
    const due = await dueServers(db.query, window, day, after, atOnce)
    for (const { id, scope } of due) {
      await db.transact((tx) => backUp(tx, scope, catalogue, id, day)).catch(note)
    }
    if (due.length < atOnce) break
    after = due.at(-1)!.id
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} backups could not be started`)
}

async function backUp(tx: Transaction, scope: ProjectScope, catalogue: Catalogue, id: number, day: string) {
  const server = await servers.lock(tx, scope, id)
  if (server.backupWindow === null || !(await claimDay(tx, scope, id, day))) return
  await startImage(tx, scope, catalogue, server, { type: 'backup', description: undefined, labels: {} })
}

/** Whether the backup of a day is still to be started; it is not for whoever asks next. */
async function claimDay(tx: Transaction, scope: ProjectScope, id: number, day: string): Promise<boolean> {
  const { numUpdatedRows } = await scoped(tx.query, scope)
    .updateTable('server')
    .set({ last_backup_day: day })
    .where('id', '=', id)
    .where('last_backup_day', '<', day)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
