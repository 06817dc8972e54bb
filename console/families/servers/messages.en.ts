import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' must be off": 'Server {1} must be off for this. Power it off first.',
    '{1} cannot have more than {2} open consoles': '{1} cannot have more than {2} open consoles.',
  },
  messages: {},
}
