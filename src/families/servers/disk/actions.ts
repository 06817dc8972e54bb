/** What happens to the disks of servers: copies are made of them, images are written to them. */

import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { defineAction, defineRecord, defineStep } from '../../../kernel/actions/define.ts'
import { startAction } from '../../../kernel/actions/store.ts'
import type { Action } from '../../../kernel/actions/tables.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { completeImage, discardImages, images, insertImage, lockBackups, surplusBackups } from '../../images/effects.ts'
import { findTemplate, type OwnImage } from '../../images/reads.ts'
import { changeAction, type Input, onServer } from '../actions.ts'
import { settledState } from '../desired.ts'
import type { Server } from '../domain.ts'
import { locationOfServer } from '../store.ts'

interface ImageInput extends Input {
  readonly image: number
}

export const createImage = defineAction<ImageInput>({
  family: 'servers',
  command: 'create_image',
  steps: [
    defineStep<ImageInput, number>({
      name: 'capture',
      run: async (context) =>
        context.drivers.images.capture(
          {
            imageId: context.input.image,
            server: await settledState(context, context.input.server),
          },
          context.report,
        ),
      async undo({ query, scope, drivers, input: { image, server } }) {
        const location = (await locationOfServer(query, scope, server)) ?? null
        await drivers.images.remove({ imageId: image, serverId: server, location })
      },
      async commit(tx, { scope, input: { image, server } }, sizeMb) {
        const backups = await lockBackups(tx, scope, server)
        await completeImage(tx, scope, image, sizeMb)
        // Only now that the new one is complete does the oldest go.
        await discardImages(tx, scope, surplusBackups(backups, image))
      },
    }),
  ],
  async revert(tx, { scope, input }) {
    await images.hold(tx, scope, [input.image], 'update')
    // The removal is an action of its own, which is repeated until it succeeds.
    await discardImages(tx, scope, await images.byIds(tx.query, scope, [input.image]))
  },
})

export interface ImageRequest {
  readonly type: OwnImage['type']
  /** Undefined for a description of the server's name and the time. */
  readonly description: string | undefined
  readonly labels: Labels
}

/** Adds an image of a server that the transaction has locked and starts the action that makes it. Errors: `locked`. */
export async function startImage(
  tx: Transaction,
  scope: ProjectScope,
  catalogue: Catalogue,
  server: Server,
  { type, description = `${server.name} ${timestamp(tx.now)}`, labels }: ImageRequest,
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
    locationId: server.locationId,
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

export const rebuildServer = changeAction('rebuild_server', 'rebuild')

export const enableBackup = defineRecord('servers', 'enable_backup')
export const disableBackup = defineRecord('servers', 'disable_backup')

export const diskActions = [createImage, rebuildServer, enableBackup, disableBackup]
