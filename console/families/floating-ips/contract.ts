/** The operations on Floating IPs, as the API has them. */
import type { floatingIpEndpoints } from '../../../src/families/floating-ips/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof floatingIpEndpoints & ActionsOf<'floating_ips'>
