/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' must be off": 'Dafür muss Server {1} aus sein. Schalte ihn zuerst aus.',
    '{1} cannot have more than {2} open consoles': '{1} kann höchstens {2} offene Konsolen haben.',
  },
  messages: { server: 'Server' },
}
