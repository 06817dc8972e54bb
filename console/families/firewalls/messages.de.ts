/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "server with ID '{1}' has the firewall through a label selector":
      'Ein Label-Selektor wendet die Firewall auf Server {1} an. Ändere seine Labels oder den Selektor.',
    "server with ID '{1}' cannot have more than {2} firewalls": 'Server {1} kann nicht mehr als {2} Firewalls haben.',
    "the firewall is already applied to server with ID '{1}'": 'Auf Server {1} ist die Firewall schon angewandt.',
    'firewall with ID {1} is still in use': 'Firewall {1} ist in Gebrauch. Löse sie zuerst überall.',
  },
  messages: { firewall: 'Firewall' },
}
