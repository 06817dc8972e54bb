/** The operations on glossaries, as the API has them. */
import type { glossaryEndpoints } from '../../../src/families/glossaries/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof glossaryEndpoints & ActionsOf<'glossaries'>
