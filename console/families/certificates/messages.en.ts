/** What the server says of inputs, and of what is in the way. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {},
  messages: {},
}
