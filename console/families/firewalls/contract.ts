/** The operations on firewalls, as the API has them. */
import type { firewallEndpoints } from '../../../src/families/firewalls/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof firewallEndpoints & ActionsOf<'firewalls'>
