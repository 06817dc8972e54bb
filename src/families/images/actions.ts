/** What happens to images asynchronously. */
import { type ActionInput, DriverError, defineAction } from '../../kernel/actions/define.ts'
import { type ActionStart, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { isBeingInstalled } from '../servers/reads.ts'
import type { OwnImage } from './domain.ts'
import { deleteImage, hideImage } from './store.ts'

interface Input extends ActionInput {
  readonly image: number
  readonly server: number
}

/** Runs after the request that deleted the image was answered: the image is gone for everybody but its data. */
export const removeImage = defineAction<Input>({
  family: 'images',
  command: 'delete_image',
  steps: [
    {
      name: 'remove',
      async run({ query, scope, drivers, input: { image, server } }) {
        // A server that is being made from it goes first; if that takes long, the removal is started anew later.
        if (await isBeingInstalled(query, scope, image)) {
          throw new DriverError('the image is being used', { transient: true })
        }
        await drivers.images.remove({ imageId: image, serverId: server })
      },
      commit: (tx, { scope, input }) => deleteImage(tx, scope, input.image),
    },
  ],
})

export const changeImageProtection = defineAction<ActionInput>({
  family: 'images',
  command: 'change_protection',
  steps: [],
})

export const imageActions = [removeImage, changeImageProtection]

/** The action that removes the data of a deleted image. */
export function startRemoval(id: number, serverId: number): ActionStart {
  return toStart({
    definition: removeImage,
    input: { image: id, server: serverId },
    resources: [{ type: 'image', id }],
  })
}

/** Deletes images: nobody sees them any more, and their data follows. */
export async function discardImages(tx: Transaction, scope: ProjectScope, images: readonly OwnImage[]): Promise<void> {
  for (const image of images) await hideImage(tx, scope, image)
  await startActions(
    tx,
    scope,
    images.map(({ id, createdFrom }) => startRemoval(id, createdFrom.id)),
  )
}
