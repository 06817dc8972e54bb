/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    "volume with ID '{1}' is still attached to a server": 'Volume {1} hängt noch an einem Server. Trenne es zuerst.',
    "volume with ID '{1}' is attached to server with ID '{2}' already": 'Volume {1} hängt schon an Server {2}.',
    'a server cannot have more than {1} volumes': 'Ein Server kann nicht mehr als {1} Volumes haben.',
  },
  messages: {
    volume: 'Volume',
    'the server is in another location than the volume': 'der Server ist an einem anderen Standort als das Volume',
  },
}
