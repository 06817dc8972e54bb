/** Types of Storage Boxes through the API: there are none yet. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { storageBoxTypeEndpoints } from './contract.ts'

/** One handler for each endpoint. */
export function storageBoxTypeRoutes(): Handlers<typeof storageBoxTypeEndpoints> {
  return {
    async list({ query }) {
      const { rows, pagination } = pageOf([], query)
      return { storage_box_types: rows, meta: { pagination } }
    },
  }
}
