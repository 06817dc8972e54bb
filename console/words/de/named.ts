/** Woran etwas scheitert, wenn der Server nennt, was im Weg ist: seine Meldungen als Vorlagen, vor den Worten nach Code. */
import type { Forms } from '../../lib/messages.ts'

export { messages as slices } from '../../generated/messages.de.ts'
export { messages } from './messages.ts'

export const named: Forms = {
  "{1} with ID '{2}' not found": '{1} {2} gibt es nicht, oder nicht mehr.',
  'the {1} no longer exists': '{1}: gibt es nicht mehr.',
  'this installation has no {1}': 'Diese Installation hat keine {1}.',
  "a project named '{1}' exists already": 'Ein Projekt {1} gibt es schon.',
  'a person with the address {1} exists already': 'Eine Person mit der Adresse {1} gibt es schon.',
  'there is an account with the address {1}: sign in to it as before, and link it in its security settings':
    'Es gibt ein Konto mit der Adresse {1}. Melde dich wie bisher an und verknüpfe es in seinen Sicherheitseinstellungen.',
  'this invitation is meant for {1}': 'Diese Einladung ist für {1}.',
  'with the role {1} nobody can give this role': 'Mit der Rolle {1} kann niemand diese Rolle vergeben.',
  'the Project still has {1}; delete them first': 'Das Projekt hat noch {1}. Lösche sie zuerst.',
  '{1} limit exceeded: a Project cannot have more than {2} {3}':
    '{1}: Ein Projekt kann höchstens {2} {3} haben. Lösche einige, oder lass die Grenze erhöhen.',
  'a Project cannot have more than {1} open invitations': 'Ein Projekt kann höchstens {1} offene Einladungen haben.',
  'a Project cannot send more than {1} invitations a day to {2}':
    'Ein Projekt kann am Tag höchstens {1} Einladungen an {2} senden. Versuche es morgen noch einmal.',
  'a Project cannot send more than {1} invitations a day':
    'Ein Projekt kann am Tag höchstens {1} Einladungen senden. Versuche es morgen noch einmal.',
  '{1} cannot get more than {2} invitations a day':
    '{1} kann am Tag höchstens {2} Einladungen bekommen. Versuche es morgen noch einmal.',
  "server with ID '{1}' was added more than once": 'Server {1} kommt mehr als einmal vor.',
  'no {1} address is available': 'Es ist keine {1}-Adresse mehr frei.',
  '{1} is locked: an action is already running': '{1}: daran läuft eine Aktion. Versuche es danach noch einmal.',
  '{1} deletion is protected': '{1}: vor dem Löschen geschützt. Nimm zuerst den Schutz weg.',
  "{1} with ID '{2}' changed during the request; please retry":
    '{1} {2}: wurde zugleich anderswo geändert. Sieh nach und versuche es noch einmal.',
  'another change of the {1} is under way; please retry':
    '{1}: wurde zugleich anderswo geändert. Sieh nach und versuche es noch einmal.',
}
