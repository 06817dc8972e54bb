/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'placement group with ID {1} contains already {2} servers': 'Placement Group {1} hat {2} Server und ist voll.',
  },
  messages: { 'placement group': 'Placement Group' },
}
