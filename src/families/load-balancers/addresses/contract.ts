/** Public addresses of Load Balancers on the wire (spec: Load Balancers). */
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { defineEndpoints } from '../../../kernel/contract/contract.ts'
import { ReverseNameChange } from '../../addresses/contract.ts'

const action = actionsOf('/load_balancers/{id}', 'Load Balancers')

export const addressEndpoints = defineEndpoints({
  changeDnsPtr: action('change_dns_ptr', {
    needs: 'restricted',
    summary: 'Change the reverse DNS name of an address of a Load Balancer',
    body: ReverseNameChange,
  }),
})
