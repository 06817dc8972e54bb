/** The operations on images, as the API has them. */
import type { imageEndpoints } from '../../../src/families/images/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof imageEndpoints & ActionsOf<'images'>
