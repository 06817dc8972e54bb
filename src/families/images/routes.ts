/** Images through the API: those of the catalogue, read-only. */
import type { Handlers } from '../../kernel/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/listing.ts'
import type { Platform } from '../../platform.ts'
import type { imageEndpoints } from './contract.ts'
import { selectImages } from './domain.ts'
import { imageToWire } from './view.ts'

/** One handler for each endpoint. */
export function imageRoutes({ catalogue, clock }: Platform): Handlers<typeof imageEndpoints> {
  return {
    async list({ query }) {
      const now = clock.now()
      const found = selectImages(catalogue.images, query, now)
      const { rows, pagination } = pageOf(found, query, (image, field) => image[field as 'id' | 'name' | 'created'])
      return { images: rows.map((image) => imageToWire(image, now)), meta: { pagination } }
    },

    async get({ params }) {
      const image = catalogue.imageById(params.id)
      if (!image) throw notFound('image', params.id)
      return { image: imageToWire(image, clock.now()) }
    },
  }
}
