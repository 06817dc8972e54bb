/** The operations on servers, as the API has them. */
import type { serverEndpoints } from '../../../src/families/servers/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof serverEndpoints & ActionsOf<'servers'>
