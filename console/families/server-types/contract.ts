/** The operations on server types, as the API has them. */
import type { serverTypeEndpoints } from '../../../src/families/server-types/contract.ts'

export type Contract = typeof serverTypeEndpoints
