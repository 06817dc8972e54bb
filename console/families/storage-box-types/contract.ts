/** The operations on Storage Box types, as the API has them. */
import type { storageBoxTypeEndpoints } from '../../../src/families/storage-box-types/contract.ts'

export type Contract = typeof storageBoxTypeEndpoints
