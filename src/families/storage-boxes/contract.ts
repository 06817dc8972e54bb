/** Storage Boxes on the wire: there are none yet, and the list says so to clients that list everything. */
import { Type } from 'typebox'
import { defineEndpoints, listing, Meta } from '../../kernel/contract/contract.ts'

export const spelling = {
  type: 'storage_box',
  path: 'storage_boxes',
  title: 'Storage Box',
  titles: 'Storage Boxes',
} as const

export const storageBoxEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    needs: 'viewer',
    path: '/storage_boxes',
    summary: 'List Storage Boxes, of which there are none yet',
    section: 'Storage Boxes',
    query: listing(['id', 'name', 'created', 'stats.size', 'stats.size_filesystem']),
    status: 200,
    reply: Type.Object({ storage_boxes: Type.Array(Type.Unknown(), { maxItems: 0 }), meta: Meta }),
    errors: [],
  },
})
