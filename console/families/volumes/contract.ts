/** The operations on volumes, as the API has them. */
import type { volumeEndpoints } from '../../../src/families/volumes/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof volumeEndpoints & ActionsOf<'volumes'>
