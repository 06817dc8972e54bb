/** Errors in words, by code: what happened and what to do. A code without a text here or in a slice does not compile. */
import type { FailureCode } from '../../api/failure.ts'
import type { refusals } from '../../generated/refusals.en.ts'

export { refusals as slices } from '../../generated/refusals.en.ts'

type Slices = typeof refusals
type OfSlices = { [Family in keyof Slices]: keyof Slices[Family] }[keyof Slices]

export const errors = {
  unchanged: 'Nothing was changed.',
  uncertain: 'It is not known whether this was done. Look before you try again.',
  /** Before a message about a field that has no form in the language of the page. */
  refused: 'The server does not accept it:',
  byCode: {
    elevation_required: 'Prove who you are once more. This needs a sign-in within the last ten minutes.',
    wrong_credentials: 'The password or code is not right.',
    last_credential: 'It is the last way to sign in. Add another one first.',
    last_admin: 'Nobody else administers the installation. Make somebody else an admin first.',
    person_disabled: 'This person cannot sign in. Allow it again first.',
    mail_not_retryable: 'Only mail that was given up or logged is sent again, to a Project with an owner.',
    weak_password: 'This password is too easy to guess.',
    member_is_owner: 'The owner keeps this role. Transfer the Project to somebody else first.',
    project_not_empty: 'The Project is not empty. Delete what is in it first.',
    json_error: 'The request was not valid JSON.',
    unauthorized: 'The session has ended. Sign in again.',
    token_readonly: 'This session may only read.',
    forbidden: 'Your role does not allow this.',
    maintenance: 'This is being maintained. Try again later.',
    resource_limit_exceeded:
      'The Project has as many of these as its limit allows. Delete some, or have the limit raised.',
    not_found: 'It does not exist, or no longer.',
    method_not_allowed: 'The server does not do this here.',
    uniqueness_error: 'Something else has this name or value already.',
    conflict: 'It was changed elsewhere at the same time. Look at it and try again.',
    deprecated_api_endpoint: 'The API no longer has this operation.',
    resource_unavailable: 'There is no room for it there. Choose another location or type.',
    invalid_input: 'Some of it is not valid. The fields say what.',
    service_error: 'The server could not do it in its present state.',
    unsupported_error: 'This cannot be done with it.',
    locked: 'An action is running on it. Try again when it has ended.',
    protected: 'It is protected. Take the protection off first.',
    rate_limit_exceeded: 'Too many requests in this hour. Wait a moment.',
    server_error: 'The server failed. Its log has the reason under the correlation id.',
    unavailable: 'The server cannot work at the moment. Try again.',
    timeout: 'It took too long and was given up.',
    unreachable: 'The server does not answer. Look at the connection.',
    unreadable: 'The answer could not be read.',
    must_be_unassigned: 'It is assigned. Unassign it first.',
    resource_in_use: 'Something uses it. Take it out of use first.',
    server_already_added: 'It is there already.',
    server_already_attached: 'It is attached already.',
  } satisfies Record<Exclude<FailureCode, OfSlices>, string>,
}
