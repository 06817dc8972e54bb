/** Storage Boxes through the API: there are none yet. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { storageBoxEndpoints } from './contract.ts'

/** One handler for each endpoint. */
export function storageBoxRoutes(): Handlers<typeof storageBoxEndpoints> {
  return {
    async list({ query }) {
      const { rows, pagination } = pageOf([], query)
      return { storage_boxes: rows, meta: { pagination } }
    },
  }
}
