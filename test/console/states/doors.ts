/** The pages before the console: signing in, and those that links lead to. */

import { hashPassword } from '../../../src/kernel/secrets/password-hash.ts'
import { addCredential } from '../../../src/people/credentials/credential-store.ts'
import { newTotpSecret } from '../../../src/people/credentials/totp.ts'
import { sealFor } from '../../../src/people/people.ts'
import { makePersonLink } from '../../../src/people/sessions/resets.ts'
import { makeSetupLink } from '../../../src/people/setup.ts'
import type { Console, ConsoleOptions } from '../kit/harness.ts'

export interface DoorState {
  /** Names the picture: `door-login`. */
  readonly name: string
  /** Where it is, with the secret of a link in its fragment. */
  readonly path: string | ((door: Door) => string | Promise<string>)
  /** Brings the page into the state, such as by sending what is refused. */
  readonly act?: (door: Door) => Promise<void>
}

/** Somebody with a password and one-time codes, and the link of an invitation for somebody else. */
export interface Door {
  readonly console: Console
  readonly email: string
  readonly password: string
  readonly person: number
  readonly invitation: string
}

const password = 'sieben blaue Teller tanzen'

/** Makes what the doors need, and signs out. */
export async function openDoor(console: Console): Promise<Door> {
  const { world, person, page, project, context, visit } = console
  await visit('')
  const address = `/console/api/wolke/v1/projects/${project}/invitations`
  const link = await page.evaluate(async (url) => {
    const body = JSON.stringify({ email: 'new@nordlicht.example', role: 'member' })
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    // Where there is a mail server, the link is in the mail alone.
    return ((await reply.json()) as { link: string | null }).link ?? ''
  }, address)
  const data = await hashPassword(password)
  await world.db.transact(async (tx) => {
    const { id } = person
    const own = { personId: id, subject: String(id), name: '' }
    await addCredential(tx, { ...own, kind: 'password', data })
    await addCredential(tx, { ...own, kind: 'totp', data: sealFor(world.app.people, id, 'totp', newTotpSecret()) })
  })
  await context.clearCookies()
  return { console, email: person.email, person: person.id, password, invitation: link.split('#')[1] ?? '' }
}

async function logIn({ console: { page }, email }: Door, secret: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Fills a field, sends the form, and waits until it is refused. */
const refused =
  (label: string, text: string, button: string): Required<DoorState>['act'] =>
  async ({ console: { page } }) => {
    await page.getByLabel(label).first().fill(text)
    await page.locator('form').evaluateAll((all) => {
      // The server refuses it, not the browser.
      for (const form of all) (form as unknown as { noValidate: boolean }).noValidate = true
    })
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.locator('[aria-invalid=true]').first().waitFor()
  }

const setup = async ({ console: { world } }: Door) => `/setup#${await makeSetupLink(world.db)}`
const reset = async ({ console: { world }, person }: Door) =>
  `/reset#${(await makePersonLink(world.db, person)).split('#').at(-1)}`
const invite = ({ invitation }: Door) => `/invite#${invitation}`
const heading =
  (name: string | RegExp): Required<DoorState>['act'] =>
  ({ console: { page } }) =>
    page.getByRole('heading', { level: 1, name }).waitFor()

/** By what the server was started with. */
export const doorStates: readonly (readonly [ConsoleOptions, readonly DoorState[]])[] = [
  [
    // Nobody has set the installation up.
    { isAlone: true },
    [
      { name: 'door-login', path: '/login' },
      {
        name: 'door-login-wrong',
        path: '/login',
        async act(door) {
          await logIn(door, 'not the password')
          await door.console.page.locator('[aria-invalid=true]').first().waitFor()
        },
      },
      {
        name: 'door-second',
        path: '/login',
        async act(door) {
          await logIn(door, door.password)
          await door.console.page.waitForURL('**/login/second')
        },
      },
      { name: 'door-second-wrong', path: '/login/second', act: refused('Code', '000000', 'Continue') },
      { name: 'door-token', path: '/login/token' },
      { name: 'door-token-wrong', path: '/login/token', act: refused('API token', 'nonsense', 'Continue') },
      { name: 'door-logout', path: '/logout' },
      { name: 'door-setup', path: setup },
      { name: 'door-setup-refused', path: setup, act: refused('Name', 'Eva', 'Create the account') },
      { name: 'door-setup-without', path: '/setup' },
      { name: 'door-enter', path: '/enter' },
      { name: 'door-enter-dead', path: '/enter#nonsense', act: heading(/./) },
      { name: 'door-reset', path: '/reset' },
      { name: 'door-reset-link', path: reset, act: heading(/person-/) },
      {
        name: 'door-reset-refused',
        path: reset,
        async act(door) {
          await heading(/person-/)(door)
          await refused('New password', 'short', 'Save the password')(door)
        },
      },
      { name: 'door-invite', path: '/invite' },
      { name: 'door-invite-dead', path: '/invite#nonsense', act: heading(/./) },
      {
        name: 'door-invite-offer',
        path: invite,
        act: ({ console: { page } }) => page.getByText('new@nordlicht.example').first().waitFor(),
      },
      { name: 'door-invite-refused', path: invite, act: refused('New password', 'short', 'Accept the invitation') },
    ],
  ],
  [
    { isOperator: true, publicOrigins: ['https://cloud.example.com'], mail: { send: async () => undefined } },
    [
      { name: 'door-setup-done', path: '/setup' },
      { name: 'door-reset-ask', path: '/reset' },
      { name: 'door-reset-ask-refused', path: '/reset', act: refused('E-mail address', 'nobody', 'Send a link') },
      {
        name: 'door-reset-asked',
        path: '/reset',
        async act({ console: { page }, email }) {
          await page.getByLabel('E-mail address').fill(email)
          await page.getByRole('button', { name: 'Send a link' }).click()
          await page.getByRole('status').waitFor()
        },
      },
    ],
  ],
]
