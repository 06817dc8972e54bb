import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'port {1} is already used by a service': 'Another service listens on port {1}.',
    "server with ID '{1}' has no public IPv4 address": 'Server {1} has no public IPv4 address.',
    "server with ID '{1}' is not in the network of the load balancer":
      'Server {1} is not in the network of the Load Balancer.',
    'the address {1} is not owned by the Project': 'The address {1} belongs to somebody else.',
    'a load balancer cannot have more than {1} {2}': 'A Load Balancer of this type cannot have more than {1} {2}.',
    'a load balancer of the type {1} cannot have more than {2} {3}':
      'A Load Balancer of the type {1} cannot have more than {2} {3}.',
  },
  messages: {},
}
