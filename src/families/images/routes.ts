/** Images through the API: those of the catalogue, which nobody changes, and those of the Project. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { after } from '../../kernel/process/at-once.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { imageEndpoints } from './contract.ts'
import { selectImages } from './domain.ts'
import { images, listImages } from './store.ts'
import { imageToWire, ownImageToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function imageRoutes(platform: Platform): Handlers<typeof imageEndpoints> {
  const { db, catalogue, clock } = platform
  const own = resourceRoutes(platform, images, (some) => some.map((image) => ownImageToWire(image, clock.now())))
  return {
    list({ scope, query }) {
      const now = clock.now()
      const found = selectImages(catalogue.images, query, now)
      return after(listImages(db.query, scope, query, found), ({ images: listed, pagination }) => ({
        images: listed.map((image) => ('version' in image ? ownImageToWire(image, now) : imageToWire(image, now))),
        meta: { pagination },
      }))
    },

    get(call) {
      const known = catalogue.imageById(call.params.id)
      return known ? { image: imageToWire(known, clock.now()) } : own.get(call)
    },

    async update(call) {
      work.refuseCatalogue(platform, call.params.id)
      return own.update(call)
    },

    remove: (call) => work.remove(platform, call),
    changeProtection: (call) => work.changeProtection(platform, call),
  }
}
