/** The operations on Storage Boxes, as the API has them. */
import type { storageBoxEndpoints } from '../../../src/families/storage-boxes/contract.ts'
import type { fileEndpoints } from '../../../src/families/storage-boxes/files/contract.ts'
import type { usageEndpoints } from '../../../src/families/storage-boxes/usage/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof storageBoxEndpoints &
  typeof fileEndpoints &
  typeof usageEndpoints &
  ActionsOf<'storage_boxes'>
