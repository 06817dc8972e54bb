/** Types of Storage Boxes on the wire: there are none yet, and the list says so to clients that look for one. */
import { Type } from 'typebox'
import { defineEndpoints, Meta, paging, textParam } from '../../kernel/contract/contract.ts'

export const spelling = {
  type: 'storage_box_type',
  path: 'storage_box_types',
  title: 'Storage Box type',
  titles: 'Storage Box types',
} as const

export const storageBoxTypeEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/storage_box_types',
    summary: 'List the types of Storage Boxes, of which there are none yet',
    section: 'Storage Boxes',
    query: { name: textParam('Exact name'), ...paging },
    status: 200,
    reply: Type.Object({ storage_box_types: Type.Array(Type.Unknown(), { maxItems: 0 }), meta: Meta }),
    errors: [],
  },
})
