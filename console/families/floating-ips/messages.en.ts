import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "the floating IP must be unassigned before it is deleted: it leads to server with ID '{1}'":
      'The Floating IP leads to server {1}. Unassign it first.',
  },
  messages: {},
}
