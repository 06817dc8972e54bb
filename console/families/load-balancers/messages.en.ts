import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'port {1} is already used by a service': 'Another service listens on port {1}.',
    "server with ID '{1}' has no public IPv4 address": 'Server {1} has no public IPv4 address.',
    "server with ID '{1}' is not in the network of the load balancer":
      'Server {1} is not in the network of the Load Balancer.',
    'the address {1} is not owned by the Project': 'The address {1} belongs to somebody else.',
    'a Load Balancer of the type {1} cannot have more {2}': 'A Load Balancer of the type {1} cannot have more {2}.',
    'the Load Balancer has more {1} than the type {2} allows':
      'The Load Balancer has more {1} than the type {2} allows.',
  },
  messages: {},
}
