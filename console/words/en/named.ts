/** Failures where the server names what is in the way: its messages by templates, before the words by code. */
import type { Forms } from '../../lib/messages.ts'

export { messages as slices } from '../../generated/messages.en.ts'

export const named: Forms = {
  "{1} with ID '{2}' not found": 'There is no {1} {2}, or no longer.',
  'the {1} no longer exists': 'The {1} no longer exists.',
  'this installation has no {1}': 'This installation has no {1}.',
  "a project named '{1}' exists already": 'There is a Project {1} already.',
  'a person with the address {1} exists already': 'There is a person with the address {1} already.',
  'there is an account with the address {1}: sign in to it as before, and link it in its security settings':
    'There is an account with the address {1}. Sign in to it as before, and link it in its security settings.',
  'this invitation is meant for {1}': 'This invitation is meant for {1}.',
  'with the role {1} nobody can give this role': 'With the role {1} nobody can give this role.',
  'the Project still has {1}; delete them first': 'The Project still has {1}. Delete them first.',
  '{1} limit exceeded: a Project cannot have more than {2} {3}':
    '{1}: A Project cannot have more than {2} {3}. Delete some, or have the limit raised.',
  'a Project cannot have more than {1} open invitations': 'A Project cannot have more than {1} open invitations.',
  'a Project cannot send more than {1} invitations a day to {2}':
    'A Project cannot send more than {1} invitations a day to {2}. Try again tomorrow.',
  'a Project cannot send more than {1} invitations a day':
    'A Project cannot send more than {1} invitations a day. Try again tomorrow.',
  '{1} cannot get more than {2} invitations a day':
    '{1} cannot get more than {2} invitations a day. Try again tomorrow.',
  "server with ID '{1}' was added more than once": 'Server {1} is there more than once.',
  'no {1} address is available': 'There is no {1} address left.',
  '{1} is locked: an action is already running': 'An action is running on this {1}. Try again when it has ended.',
  '{1} deletion is protected': 'The {1} is protected from deletion. Take the protection off first.',
  "{1} with ID '{2}' changed during the request; please retry":
    'The {1} {2} was changed elsewhere at the same time. Look at it and try again.',
  'another change of the {1} is under way; please retry':
    'The {1} was changed elsewhere at the same time. Look at it and try again.',
}

/** Those about inputs are English. */
export const messages: Forms = {}
