/** Consoles of servers on the wire (spec: Servers). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
import { defineEndpoints } from '../../../kernel/contract/contract.ts'
import { secret } from '../../../kernel/contract/marks.ts'

const action = actionsOf('/servers/{id}', 'Servers')

export const consoleEndpoints = defineEndpoints({
  requestConsole: action('request_console', {
    needs: 'restricted',
    summary: 'Ask for a console: the screen and keyboard of a running server, as VNC over a WebSocket',
    reply: Type.Object({ action: ActionSchema, wss_url: secret(Type.String()), password: secret(Type.String()) }),
    errors: ['service_error', 'unsupported_error'],
  }),
})
