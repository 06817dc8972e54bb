/** The operations on Storage Boxes, as the API has them. */
import type { storageBoxEndpoints } from '../../../src/families/storage-boxes/contract.ts'

export type Contract = typeof storageBoxEndpoints
