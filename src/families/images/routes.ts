/** Images through the API: those of the catalogue, which nobody changes, and those of the Project. */
import { recordOf, refuseLocked } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { ApiError } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { act } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { changeImageProtection, discardImages } from './actions.ts'
import type { imageEndpoints } from './contract.ts'
import { selectImages } from './domain.ts'
import { images, listImages } from './store.ts'
import { imageToWire, ownImageToWire } from './view.ts'

/** One handler for each endpoint. */
export function imageRoutes(platform: Platform): Handlers<typeof imageEndpoints> {
  const { db, catalogue, clock } = platform
  const own = resourceRoutes(platform, images, (some) => some.map((image) => ownImageToWire(image, clock.now())))

  /** Errors: `unsupported_error` for an image that belongs to the installation. */
  const refuseCatalogue = (id: number) => {
    if (catalogue.imageById(id)) {
      throw new ApiError('unsupported_error', 'only snapshots and backups can be changed')
    }
  }

  return {
    async list({ scope, query }) {
      const now = clock.now()
      const found = selectImages(catalogue.images, query, now)
      const { images: listed, pagination } = await listImages(db.query, scope, query, found)
      return {
        images: listed.map((image) => ('version' in image ? ownImageToWire(image, now) : imageToWire(image, now))),
        meta: { pagination },
      }
    },

    async get(call) {
      const known = catalogue.imageById(call.params.id)
      return known ? { image: imageToWire(known, clock.now()) } : own.get(call)
    },

    async update(call) {
      refuseCatalogue(call.params.id)
      return own.update(call)
    },

    async remove({ scope, params: { id } }) {
      refuseCatalogue(id)
      await db.transact(async (tx) => {
        const image = await images.lock(tx, scope, id)
        if (image.isProtected) throw new ApiError('protected', 'snapshot deletion is protected')
        await refuseLocked(tx.query, scope, images.ref(id))
        await discardImages(tx, scope, [image])
      })
    },

    async changeProtection(call) {
      refuseCatalogue(call.params.id)
      return act(platform, images, call, async (tx, { id, type, isProtected }) => {
        if (type !== 'snapshot') throw new ApiError('unsupported_error', 'only snapshots can be protected')
        await images.set(tx, call.scope, id, { protect_delete: (call.body.delete ?? isProtected) ? 1 : 0 })
        return recordOf(changeImageProtection, images.ref(id))
      })
    },
  }
}
