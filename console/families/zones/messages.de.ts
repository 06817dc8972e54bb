/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'this needs a {1} zone, and the zone is {2}': 'Das braucht eine Zone der Art {1}, und die Zone ist {2}.',
  },
  messages: {
    'is required for a secondary zone': 'fehlt für eine sekundäre Zone',
  },
}
