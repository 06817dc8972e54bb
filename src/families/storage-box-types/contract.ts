/** Types of Storage Boxes on the wire (spec: Storage Boxes). They come from the catalogue; nobody writes them through the API. */
import { Type } from 'typebox'
import { defineEndpoints, Id, Meta, named, nullable, paging, textParam } from '../../kernel/contract/contract.ts'
import { Deprecation, Price } from '../server-types/contract.ts'

export const StorageBoxPrice = named('StorageBoxPrice', {
  location: Type.String(),
  price_hourly: Price,
  price_monthly: Price,
  setup_fee: Price,
})

export const StorageBoxType = named('StorageBoxType', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  snapshot_limit: nullable(Type.Integer({ description: 'Made on request' })),
  automatic_snapshot_limit: nullable(Type.Integer({ description: 'Made by a plan' })),
  subaccounts_limit: Type.Integer(),
  size: Type.Integer({ description: 'Bytes, of files and snapshots together' }),
  prices: Type.Array(StorageBoxPrice),
  deprecation: nullable(Deprecation),
})

const section = 'Storage Boxes'

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
    summary: 'List the types of Storage Boxes that can be ordered',
    section,
    query: { name: textParam('Exact name'), ...paging },
    status: 200,
    reply: Type.Object({ storage_box_types: Type.Array(StorageBoxType), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/storage_box_types/{id}',
    summary: 'Get a type of Storage Boxes, also one that is no longer listed',
    section,
    status: 200,
    reply: Type.Object({ storage_box_type: StorageBoxType }),
    errors: [],
  },
})
