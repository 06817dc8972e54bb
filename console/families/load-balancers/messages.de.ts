/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'port {1} is already used by a service': 'Auf Port {1} hört schon ein anderer Dienst.',
    "server with ID '{1}' has no public IPv4 address": 'Server {1} hat keine öffentliche IPv4-Adresse.',
    "server with ID '{1}' is not in the network of the load balancer":
      'Server {1} ist nicht im Netzwerk des Load Balancers.',
    'the address {1} is not owned by the Project': 'Die Adresse {1} gehört jemand anderem.',
    'a load balancer cannot have more than {1} {2}': 'Ein Load Balancer dieses Typs kann höchstens {1} {2} haben.',
    'a load balancer of the type {1} cannot have more than {2} {3}':
      'Ein Load Balancer vom Typ {1} kann höchstens {2} {3} haben.',
  },
  messages: {},
}
