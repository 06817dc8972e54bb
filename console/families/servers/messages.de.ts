/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' must be off": 'Dafür muss Server {1} aus sein. Schalte ihn zuerst aus.',
    'a server has at most {1} open consoles': 'Ein Server hat höchstens {1} offene Konsolen.',
  },
  messages: { server: 'Server' },
}
