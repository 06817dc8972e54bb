/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'cannot delete the subnet: {1} are attached to it': 'Im Subnetz: {1}. Löse sie zuerst.',
    'a network cannot have more than {1} {2}': 'Ein Netzwerk kann höchstens {1} {2} haben.',
    "vswitch with ID '{1}' is already used by a network": 'Den vSwitch {1} hat schon ein anderes Netzwerk.',
    'the address {1} is not available': 'Die Adresse {1} ist vergeben. Wähle eine andere.',
    'the network has no such subnet in the network zone {1}':
      'In der Netzwerkzone {1} hat das Netzwerk kein solches Subnetz.',
    'no subnet of the network holds the address {1}': 'Kein Subnetz des Netzwerks enthält die Adresse {1}.',
    'no subnet of a vSwitch holds the address {1}': 'Kein Subnetz eines vSwitch enthält die Adresse {1}.',
    "the network overlaps with network with ID '{1}' of the server":
      'Der Server ist im Netzwerk {1}, das zum Teil dieselben Adressen hat.',
  },
  messages: { network: 'Netzwerk' },
}
