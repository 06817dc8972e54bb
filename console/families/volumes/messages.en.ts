import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "volume with ID '{1}' is still attached to a server": 'Volume {1} is still attached to a server. Detach it first.',
    "volume with ID '{1}' is attached to server with ID '{2}' already": 'Volume {1} is attached to server {2} already.',
    'a server cannot have more than {1} volumes': 'A server cannot have more than {1} volumes.',
  },
  messages: {},
}
