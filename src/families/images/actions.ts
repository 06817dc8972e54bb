/** What happens to images asynchronously. */
import { type ActionInput, DriverError, defineAction, defineRecord } from '../../kernel/actions/define.ts'
import { type ActionStart, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { isBeingInstalled, locationOfServer } from '../servers/reads.ts'
import type { OwnImage } from './domain.ts'
import { deleteImage, endRemoval, images } from './store.ts'

interface Input extends ActionInput {
  readonly image: number
  readonly server: number
}

/** Removes the data of an image after the request that deleted the image was answered. */
export const removeImage = defineAction<Input>({
  family: 'images',
  command: 'delete_image',
  steps: [
    {
      name: 'remove',
      async run({ query, scope, drivers, input: { image, server } }) {
        // A server that is being installed from the image still reads it; a background job starts the removal again.
        if (await isBeingInstalled(query, scope, image)) {
          throw new DriverError('the image is being used', { transient: true })
        }
        const location = (await locationOfServer(query, scope, server)) ?? null
        await drivers.images.remove({ imageId: image, serverId: server, location })
      },
      commit: (tx, { scope, input }) => endRemoval(tx, scope, input.image),
    },
  ],
})

export const changeImageProtection = defineRecord('images', 'change_protection')

export const imageActions = [removeImage, changeImageProtection]

/** The action that removes the data of a deleted image. */
export function startRemoval(id: number, serverId: number): ActionStart {
  return toStart({
    definition: removeImage,
    input: { image: id, server: serverId },
    resources: [images.ref(id)],
  })
}

/** Deletes images that the transaction has locked; the removal of their data follows. */
export async function discardImages(tx: Transaction, scope: ProjectScope, some: readonly OwnImage[]): Promise<void> {
  for (const image of some) await deleteImage(tx, scope, image)
  await startActions(
    tx,
    scope,
    some.map(({ id, createdFrom }) => startRemoval(id, createdFrom.id)),
  )
}
