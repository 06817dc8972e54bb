import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'placement group with ID {1} contains already {2} servers': 'Placement group {1} has {2} servers, and is full.',
  },
  messages: {},
}
