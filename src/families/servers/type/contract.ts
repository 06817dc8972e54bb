/** Changing the type of a server on the wire (spec: Servers). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, IdOrName } from '../../../kernel/contract/contract.ts'
import { catalogued } from '../../../kernel/contract/references.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    server_not_stopped: 422
    invalid_server_type: 422
  }
}

const action = actionsOf('/servers/{id}', 'Servers')

export const typeEndpoints = defineEndpoints({
  changeType: action('change_type', {
    needs: 'member',
    summary: 'Give a server that is off another type, and start it',
    body: closedObject({
      server_type: IdOrName,
      upgrade_disk: Type.Boolean({
        description: 'Whether the disk grows too, which rules smaller types out for good',
      }),
    }),
    refers: { server_type: catalogued('server_type') },
    errors: ['locked', 'server_not_stopped', 'invalid_server_type'],
  }),
})
