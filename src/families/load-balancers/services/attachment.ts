/** Load Balancers as users of certificates. */
import type { UserKind } from '../../certificates/attachment.ts'
import { follow } from '../actions.ts'

export const certificateUsers: UserKind = { type: 'load_balancer', follow }
