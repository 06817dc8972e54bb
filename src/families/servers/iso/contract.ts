/** How ISOs get into the drives of servers, on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionReply } from '../../../kernel/actions/contract.ts'
import { defineEndpoints, IdOrName } from '../../../kernel/contract/contract.ts'

const section = 'Servers'

export const isoEndpoints = defineEndpoints({
  attachIso: {
    method: 'POST',
    path: '/servers/{id}/actions/attach_iso',
    summary: 'Attach an ISO to a server, in place of another one',
    section,
    body: Type.Object({ iso: IdOrName }, { additionalProperties: false }),
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  detachIso: {
    method: 'POST',
    path: '/servers/{id}/actions/detach_iso',
    summary: 'Detach the ISO of a server, if it has one',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
})
