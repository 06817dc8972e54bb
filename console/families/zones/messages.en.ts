import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'this needs a {1} zone, and the zone is {2}': 'This needs a {1} zone, and the zone is {2}.',
  },
  messages: {},
}
