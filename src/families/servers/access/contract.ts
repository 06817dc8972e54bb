/** The ways into a server whose keys are lost, on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../../kernel/actions/contract.ts'
import { defineEndpoints, Id } from '../../../kernel/contract/contract.ts'

const section = 'Servers'
const WithPassword = Type.Object({ action: ActionSchema, root_password: Type.String() })

export const accessEndpoints = defineEndpoints({
  enableRescue: {
    method: 'POST',
    path: '/servers/{id}/actions/enable_rescue',
    summary: 'Let the next boot of a server within an hour go to a rescue system',
    section,
    body: Type.Object(
      {
        type: Type.Optional(Type.Enum(['linux64', 'linux32'], { description: 'linux32 until January 2024' })),
        ssh_keys: Type.Optional(Type.Array(Id, { maxItems: 100 })),
      },
      { additionalProperties: false },
    ),
    status: 201,
    reply: WithPassword,
    errors: ['locked'],
  },
  disableRescue: {
    method: 'POST',
    path: '/servers/{id}/actions/disable_rescue',
    summary: 'Let the next boot of a server go to its disk again',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  resetPassword: {
    method: 'POST',
    path: '/servers/{id}/actions/reset_password',
    summary: 'Set a new root password on a running server',
    section,
    status: 201,
    reply: WithPassword,
    errors: ['locked', 'service_error'],
  },
})
