/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' already has an {2} address": 'Server {1} hat schon eine {2}-Adresse.',
    'the primary IP must be unassigned before it is deleted: {1} has it':
      'Die Primary IP gehört zu: {1}. Löse sie zuerst.',
    'the primary IP is not of type {1}': 'Die Primary IP ist nicht vom Typ {1}.',
  },
  messages: { 'primary IP': 'Primary IP' },
}
