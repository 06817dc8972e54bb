import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'cannot delete the subnet: {1} are attached to it': 'The subnet has {1}. Detach them first.',
    'a network cannot have more than {1} {2}': 'A network cannot have more than {1} {2}.',
    "vswitch with ID '{1}' is already used by a network": 'Another network has vSwitch {1}.',
    'the address {1} is not available': 'The address {1} is taken. Choose another one.',
    'the network has no such subnet in the network zone {1}': 'The network has no such subnet in the network zone {1}.',
    'no subnet of the network holds the address {1}': 'No subnet of the network holds the address {1}.',
    'no subnet of a vSwitch holds the address {1}': 'No subnet of a vSwitch holds the address {1}.',
    "the network overlaps with network with ID '{1}' of the server":
      'The server is in network {1}, which has some of the same addresses.',
  },
  messages: {},
}
