/** What happens to the disks of servers: copies are made of them, images are written to them. */
import { defineAction, defineRecord, defineStep } from '../../kernel/actions/define.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { completeImage, discardImages, images, lockBackups, surplusBackups } from '../images/effects.ts'
import { type Input, ofServer } from './actions.ts'
import { settledState, state } from './desired.ts'
import { revertDisk } from './renewal.ts'
import { confirmPower, dropFormer, revertPower, servers } from './store.ts'

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
        context.drivers.images.capture({
          imageId: context.input.image,
          server: await settledState(context, context.input.server),
        }),
      undo: ({ drivers, input: { image, server } }) => drivers.images.remove({ imageId: image, serverId: server }),
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

export const rebuildServer = defineAction<Input>({
  family: 'servers',
  command: 'rebuild_server',
  steps: [
    desiredStep(state, {
      name: 'rebuild',
      ...ofServer,
      async done(tx, { scope, input }) {
        const server = await servers.find(tx.query, scope, input.server)
        if (server) await confirmPower(tx, scope, server.id, server.power)
        await dropFormer(tx, scope, input.server)
      },
    }),
  ],
  async revert(tx, { scope, input }) {
    await revertDisk(tx, scope, input.server)
    await revertPower(tx, scope, input.server)
    await state.renew(tx, scope, [input.server])
  },
})

export const enableBackup = defineRecord('servers', 'enable_backup')
export const disableBackup = defineRecord('servers', 'disable_backup')

export const diskActions = [createImage, rebuildServer, enableBackup, disableBackup]
