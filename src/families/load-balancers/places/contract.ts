/** Load Balancers in networks, on the wire (spec: Load Balancers). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, Id, nullable } from '../../../kernel/contract/contract.ts'
import { refersTo } from '../../../kernel/contract/references.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    load_balancer_already_attached: 422
  }
}

const Address = Type.Optional(nullable(Type.String({ maxLength: 64 })))
const action = actionsOf('/load_balancers/{id}', 'Load Balancers')

export const placeEndpoints = defineEndpoints({
  attachToNetwork: action('attach_to_network', {
    needs: 'restricted',
    summary: 'Attach a Load Balancer to a network',
    body: closedObject({ network: Id, ip: Address, ip_range: Address }),
    refers: { network: refersTo('network') },
    errors: [
      'conflict',
      'resource_limit_exceeded',
      'load_balancer_already_attached',
      'no_subnet_available',
      'ip_not_available',
    ],
  }),
  detachFromNetwork: action('detach_from_network', {
    needs: 'restricted',
    summary: 'Detach a Load Balancer from its network; targets that it reaches there are removed',
    body: closedObject({ network: Id }),
    refers: { network: refersTo('network') },
    errors: ['conflict'],
  }),
})
