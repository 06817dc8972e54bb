/** Images through the API: those of the catalogue, which nobody changes, and those of the Project. */
import { actionToWire } from '../../kernel/actions/routes.ts'
import { refuseLocked, startAction } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { beforeWrite, optimistically } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { changeImageProtection, discardImages } from './actions.ts'
import type { imageEndpoints } from './contract.ts'
import { type OwnImage, selectImages } from './domain.ts'
import { getImage, holdImage, listImages, setProtection, updateImage } from './store.ts'
import { imageToWire, ownImageToWire } from './view.ts'

/** One handler for each endpoint. */
export function imageRoutes({ db, catalogue, clock, faults }: Platform): Handlers<typeof imageEndpoints> {
  /** Errors: `unsupported_error` for an image that belongs to the installation. */
  const refuseCatalogue = (id: number) => {
    if (catalogue.imageById(id)) {
      throw new ApiError('unsupported_error', 'only snapshots and backups can be changed')
    }
  }

  const lockImage = async (tx: Transaction, scope: ProjectScope, id: number): Promise<OwnImage> => {
    refuseCatalogue(id)
    const image = await holdImage(tx, scope, id, 'update')
    if (!image) throw notFound('image', id)
    return image
  }

  return {
    async list({ scope, query }) {
      const now = clock.now()
      const found = selectImages(catalogue.images, query, now)
      const { images, pagination } = await listImages(db.query, scope, query, found)
      return {
        images: images.map((image) => ('version' in image ? ownImageToWire(image, now) : imageToWire(image, now))),
        meta: { pagination },
      }
    },

    async get({ scope, params: { id } }) {
      const known = catalogue.imageById(id)
      if (known) return { image: imageToWire(known, clock.now()) }
      return { image: ownImageToWire(await getImage(db.query, scope, id), clock.now()) }
    },

    async update({ scope, params: { id }, body }) {
      refuseCatalogue(id)
      const image = await optimistically(async () => {
        const before = await getImage(db.query, scope, id)
        await beforeWrite(faults, 'image')
        const { description = before.description, labels = before.labels, type = before.type } = body
        return db.transact((tx) => updateImage(tx, scope, before, { description, labels, type }))
      })
      return { image: ownImageToWire(image, clock.now()) }
    },

    remove: ({ scope, params: { id } }) =>
      db.transact(async (tx) => {
        const image = await lockImage(tx, scope, id)
        if (image.isProtected) throw new ApiError('protected', 'snapshot deletion is protected')
        await refuseLocked(tx.query, scope, { type: 'image', id })
        await discardImages(tx, scope, [image])
      }),

    async changeProtection({ scope, params: { id }, body }) {
      const action = await db.transact(async (tx) => {
        const image = await lockImage(tx, scope, id)
        if (image.type !== 'snapshot') throw new ApiError('unsupported_error', 'only snapshots can be protected')
        await setProtection(tx, scope, id, body.delete ?? image.isProtected)
        const resources = [{ type: 'image', id }]
        return startAction(tx, scope, { definition: changeImageProtection, input: {}, resources })
      })
      return { action: actionToWire(action) }
    },
  }
}
