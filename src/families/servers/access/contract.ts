/** The ways into a server whose keys are lost, on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, Id } from '../../../kernel/contract/contract.ts'
import { secret } from '../../../kernel/contract/marks.ts'
import { refersTo } from '../../../kernel/contract/references.ts'

const section = 'Servers'
const action = actionsOf('/servers/{id}', section)
const WithPassword = Type.Object({ action: ActionSchema, root_password: secret(Type.String()) })

export const accessEndpoints = defineEndpoints({
  enableRescue: action('enable_rescue', {
    needs: 'restricted',
    summary: 'Let the next boot of a server within an hour go to a rescue system',
    body: closedObject({
      type: Type.Optional(Type.Enum(['linux64', 'linux32'], { description: 'linux32 until January 2024' })),
      ssh_keys: Type.Optional(Type.Array(Id, { maxItems: 100 })),
    }),
    refers: { 'ssh_keys[]': refersTo('ssh_key') },
    reply: WithPassword,
    errors: ['locked', 'unsupported_error'],
  }),
  disableRescue: action('disable_rescue', {
    needs: 'restricted',
    summary: 'Let the next boot of a server go to its disk again',
    errors: ['locked'],
  }),
  resetPassword: action('reset_password', {
    needs: 'restricted',
    summary: 'Set a new root password on a running server',
    reply: WithPassword,
    errors: ['locked', 'service_error'],
  }),
})
