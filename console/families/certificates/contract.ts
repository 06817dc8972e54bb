/** The operations on certificates, as the API has them. */
import type { certificateEndpoints } from '../../../src/families/certificates/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof certificateEndpoints & ActionsOf<'certificates'>
