import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {},
  messages: {},
}
