/** What happens to the disks of servers: copies are made of them, images are written to them. */
import { defineAction, defineRecord, defineStep } from '../../../kernel/actions/define.ts'
import { completeImage, discardImages, images, lockBackups, surplusBackups } from '../../images/effects.ts'
import { changeAction, type Input } from '../actions.ts'
import { settledState } from '../desired.ts'
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

export const rebuildServer = changeAction('rebuild_server', 'rebuild')

export const enableBackup = defineRecord('servers', 'enable_backup')
export const disableBackup = defineRecord('servers', 'disable_backup')

export const diskActions = [createImage, rebuildServer, enableBackup, disableBackup]
