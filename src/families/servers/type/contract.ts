/** Changing the type of a server on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionReply } from '../../../kernel/actions/contract.ts'
import { defineEndpoints, IdOrName } from '../../../kernel/contract/contract.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    server_not_stopped: 422
    invalid_server_type: 422
  }
}

export const typeEndpoints = defineEndpoints({
  changeType: {
    method: 'POST',
    path: '/servers/{id}/actions/change_type',
    summary: 'Give a server that is off another type, and start it',
    section: 'Servers',
    body: Type.Object(
      {
        server_type: IdOrName,
        upgrade_disk: Type.Boolean({
          description: 'Whether the disk grows too, which rules smaller types out for good',
        }),
      },
      { additionalProperties: false },
    ),
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'server_not_stopped', 'invalid_server_type'],
  },
})
