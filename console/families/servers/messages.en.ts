import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' must be off": 'Server {1} must be off for this. Power it off first.',
    'a server has at most {1} open consoles': 'A server has at most {1} open consoles.',
  },
  messages: {},
}
