/** Accepting an invitation, with an account or without one. */
import type { ServedAnswer } from '../../kernel/http/pages/served.ts'
import { hashPassword } from '../../kernel/secrets/password-hash.ts'
import { html } from '../../protocols/net/html.ts'
import { acceptAnew, acceptOnPage, type Invited, invitedBy } from '../memberships/invitations.ts'
import { field, heading, hidden, problem, submit, type Visit } from './door.ts'
import { linkField, nameError, newPassword, passwordError } from './links.ts'
import { newPasskeyButton } from './passkey-buttons.ts'

export async function showInvite(visit: Visit): Promise<ServedAnswer> {
  const { words } = visit
  const content = html`<form method="post" action="/console/invite" data-auto>${heading(words.invite)}${linkField(visit)}${submit(words.goOn)}</form>`
  return visit.page(words.invite, content)
}

type Errors = { readonly name?: string | undefined; readonly password?: string | undefined }

/** Shows an invitation, and how the visitor accepts it. */
export async function offerInvite(visit: Visit): Promise<ServedAnswer> {
  const code = visit.form().get('code') ?? ''
  return offer(visit, code, await invitedBy(visit.people, code))
}

async function offer(visit: Visit, code: string, invited: Invited, name = '', errors: Errors = {}, status = 200) {
  const { words, people } = visit
  const { invitation, project, inviter, person } = invited
  const text = words.inviteText(inviter, project, words.roles[invitation.role])
  const found = await people.sessions.find(visit.cookie('session'))
  const start = html`${heading(words.invite, text)}<p>${words.inviteFor(invitation.email)}</p>${hidden('code', code)}`
  if (found?.person && found.person.id === person?.id) {
    const form = html`<form method="post" action="/console/invite/accept">${start}${submit(words.accept)}</form>`
    return visit.page(words.invite, form, status)
  }
  if (person || found?.person || people.settings.isOidcOnly) {
    const content = html`<div class="stack-l">${start}${problem(words.inviteLogIn(invitation.email))}<p><a href="/console/login">${words.back}</a></p></div>`
    return visit.page(words.invite, content, status)
  }
  const passkey = newPasskeyButton(visit, '/console/invite')
  const fields = html`${field({ name: 'name', label: words.name, value: name, autocomplete: 'name', error: errors.name })}<input type="hidden" name="username" autocomplete="username" value="${invitation.email}">${passkey}${newPassword(visit, errors.password)}`
  const form = html`<form method="post" action="/console/invite/accept">${start}${fields}${submit(words.accept, passkey === undefined)}</form>`
  return visit.page(words.invite, form, status)
}

/** Accepts as who is signed in or, without a session, with a new account. */
export async function acceptInvite(visit: Visit): Promise<ServedAnswer> {
  const { people, whence } = visit
  const form = visit.form()
  const code = form.get('code') ?? ''
  const found = await people.sessions.find(visit.cookie('session'))
  if (found?.person) {
    const { projectId } = await acceptOnPage(people, code, found.person, whence.network)
    return visit.go(`/console/projects/${projectId}`)
  }
  const invited = await invitedBy(people, code)
  if (invited.person || people.settings.isOidcOnly) return offer(visit, code, invited, '', {}, 403)
  const [name, password] = [(form.get('name') ?? '').trim(), form.get('password') ?? '']
  const errors: Errors = {
    name: nameError(visit, name),
    password: passwordError(visit, password, [invited.invitation.email, name]),
  }
  if (errors.name ?? errors.password) return offer(visit, code, invited, name, errors, 422)
  const passwordHash = await people.hashing.run(whence.network, () => hashPassword(password))
  await visit.welcome(await acceptAnew(people, code, { name, way: { passwordHash } }, whence))
  return visit.go(`/console/projects/${invited.invitation.project_id}`)
}
