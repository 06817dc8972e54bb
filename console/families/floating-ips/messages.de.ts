/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "the floating IP must be unassigned before it is deleted: it leads to server with ID '{1}'":
      'Die Floating IP führt zu Server {1}. Löse sie zuerst.',
  },
  messages: {},
}
