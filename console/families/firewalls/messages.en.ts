import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' has the firewall through a label selector":
      'A label selector applies the firewall to server {1}. Change its labels or the selector.',
    "server with ID '{1}' cannot have more than {2} firewalls": 'Server {1} cannot have more than {2} firewalls.',
    "the firewall is already applied to server with ID '{1}'": 'The firewall is applied to server {1} already.',
    'firewall with ID {1} is still in use': 'Firewall {1} is in use. Take it out of use first.',
  },
  messages: {},
}
