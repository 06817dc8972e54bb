/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'the primary IP must be unassigned before it is deleted: {1} has it':
      'Die Primary IP gehört zu: {1}. Löse sie zuerst.',
    'the primary IP is not of type {1}': 'Die Primary IP ist nicht vom Typ {1}.',
  },
  messages: { 'primary IP': 'Primary IP' },
}
