import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'this Storage Box cannot have more than {1} snapshots':
      'A Storage Box of this type cannot have more than {1} snapshots. Delete one first.',
    'this Storage Box cannot have more than {1} subaccounts':
      'A Storage Box of this type cannot have more than {1} subaccounts. Delete one first.',
  },
  messages: {},
}
