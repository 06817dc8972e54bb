/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {},
  messages: {
    'is for uploaded certificates only': 'gibt es nur bei hochgeladenen Zertifikaten',
    'is for managed certificates only': 'gibt es nur bei verwalteten Zertifikaten',
  },
}
