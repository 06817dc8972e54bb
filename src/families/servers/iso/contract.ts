/** How ISOs get into the drives of servers, on the wire (spec: Servers). */
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, IdOrName } from '../../../kernel/contract/contract.ts'
import { catalogued } from '../../../kernel/contract/references.ts'

const section = 'Servers'
const action = actionsOf('/servers/{id}', section)

export const isoEndpoints = defineEndpoints({
  attachIso: action('attach_iso', {
    needs: 'restricted',
    summary: 'Attach an ISO to a server, in place of another one',
    body: closedObject({ iso: IdOrName }),
    refers: { iso: catalogued('iso') },
    errors: ['locked', 'unsupported_error'],
  }),
  detachIso: action('detach_iso', {
    needs: 'restricted',
    summary: 'Detach the ISO of a server, if it has one',
    errors: ['locked'],
  }),
})
