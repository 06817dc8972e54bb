import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' already has an {2} address": 'Server {1} has an {2} address already.',
    'the primary IP must be unassigned before it is deleted: {1} has it':
      'The Primary IP is of {1}. Unassign it first.',
    'the primary IP is not of type {1}': 'The Primary IP is not of the type {1}.',
  },
  messages: {},
}
