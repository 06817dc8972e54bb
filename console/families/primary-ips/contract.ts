/** The operations on Primary IPs, as the API has them. */
import type { primaryIpEndpoints } from '../../../src/families/primary-ips/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof primaryIpEndpoints & ActionsOf<'primary_ips'>
