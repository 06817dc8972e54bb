/** The operations on ISO images, as the API has them. */
import type { isoEndpoints } from '../../../src/families/isos/contract.ts'

export type Contract = typeof isoEndpoints
