/** One's own account in the browser: signing in and out, second factors, passkeys, sessions, and how the console looks. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Transaction } from '../../../src/kernel/data/db.ts'
import { hashPassword } from '../../../src/kernel/secrets/password-hash.ts'
import { addCredential } from '../../../src/people/credentials/credential-store.ts'
import { stepAt, totpCode } from '../../../src/people/credentials/totp.ts'
import { makeSetupLink } from '../../../src/people/setup.ts'
import { testClock } from '../../kit/harness.ts'
import { client, type RunningProvider, startProvider } from '../../people/kit/provider.ts'
import { assertAccessible } from '../kit/accessible.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { confirm, take } from '../kit/keyboard.ts'

const password = 'sieben blaue Teller tanzen'

let hashed: Promise<string> | undefined

/** Gives the person a password and returns the address. */
async function withPassword({ world: { db }, person: { id, email } }: Console): Promise<string> {
  hashed ??= hashPassword(password)
  const data = await hashed
  await db.transact((tx) => addCredential(tx, { personId: id, kind: 'password', subject: String(id), data, name: '' }))
  return email
}

async function forgetProof({ world: { db, app }, person }: Console): Promise<void> {
  const sessions = (tx: Transaction) => tx.query.updateTable('session').where('person_id', '=', person.id)
  await db.transact((tx) => sessions(tx).set({ elevated_until: 0 }).execute())
  app.people.sessions.forget()
}

/** Types address and password into the login page. */
async function enterPassword(page: Page, email: string, secret = password): Promise<void> {
  await tabTo(page, 'textbox', 'E-mail address')
  await press(page, 'Control+a')
  await page.keyboard.type(email)
  await press(page, 'Tab')
  await page.keyboard.type(secret)
  await press(page, 'Enter')
}

async function signOut(page: Page): Promise<void> {
  await tabTo(page, 'button', /^Account of |person-/)
  await press(page, 'Enter')
  await take(page, 'Sign out')
  await page.waitForURL('**/console/login')
}

const isIn = (page: Page) => page.waitForURL((url) => !url.pathname.startsWith('/console/login'))

/** Reads the recovery codes that are shown, says that they are stored, and closes them. */
async function takeCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect(dialog.getByRole('listitem')).toHaveCount(10)
  const codes = await dialog.getByRole('listitem').allTextContents()
  await expect(dialog.getByRole('button', { name: 'Done' })).toBeDisabled()
  await tabTo(page, 'checkbox', 'I have stored them')
  await press(page, 'Space')
  await tabTo(page, 'button', 'Done')
  await press(page, 'Enter')
  await expect(dialog).toBeHidden()
  return codes
}

/** A device with passkeys; returns how its owner goes away, so that it agrees to nothing, and comes back. */
async function withAuthenticator(page: Page): Promise<(isThere: boolean) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return async (isThere) => {
    await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: isThere })
  }
}

/** Signs out and in again with the passkey of the device. */
async function signInAgain(page: Page, owner: (isThere: boolean) => Promise<void>): Promise<void> {
  // The login page offers passkeys by itself, which a device without an owner would take at once.
  await owner(false)
  await signOut(page)
  await tabTo(page, 'button', 'Continue with a passkey')
  await owner(true)
  await press(page, 'Enter')
  await isIn(page)
}

let provider: RunningProvider

before(async () => {
  provider = await startProvider()
})
after(() => provider.stop())

forConsole('the account', (open) => {
  test('password, one-time codes and recovery codes sign in, each as often as it may', async () => {
    const console = await open({ isAlone: true })
    const { page, world, context, origin } = console
    console.allow(/status of 401 .*\/console\/login/)
    const email = await withPassword(console)
    await context.clearCookies()
    await page.goto(`${origin}/console/account/security`)
    await enterPassword(page, email, 'not the password')
    await expect(page.getByText('The address or the password is not right.')).toBeVisible()
    await enterPassword(page, email)
    await page.waitForURL('**/console/account/security')
    await tabTo(page, 'button', 'Set up one-time codes')
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog', { name: 'Set up one-time codes' })
    await expect(dialog.getByRole('img', { name: /QR code/ })).toBeVisible()
    const secret = (await dialog.locator('.mono').first().textContent())!
    const code = (steps = 0) => totpCode(secret, stepAt(world.clock.now()) + steps)
    await tabTo(page, 'textbox', 'Code of the app')
    await page.keyboard.type(code(5))
    await press(page, 'Enter')
    const codeField = dialog.getByRole('textbox', { name: 'Code of the app' })
    await expect(codeField).toHaveAccessibleDescription(/This code is not right/)
    await tabTo(page, 'textbox', 'Code of the app')
    await press(page, 'Control+a')
    await page.keyboard.type(code())
    await press(page, 'Enter')
    const codes = await takeCodes(page)
    await expect(page.getByText('10 codes left')).toBeVisible()
    await page.reload()
    await expect(page.getByText('10 codes left')).toBeVisible()
    await expect(page.getByText(codes[0]!)).toHaveCount(0)
    const second = async (given: string) => {
      await tabTo(page, 'textbox', /^Code from your app/)
      await page.keyboard.type(given)
      await press(page, 'Enter')
    }
    await signOut(page)
    await enterPassword(page, email)
    world.clock.advance(30_000)
    await second(code())
    await isIn(page)
    for (const isFirst of [true, false]) {
      await signOut(page)
      await enterPassword(page, email)
      await second(codes[3]!)
      if (isFirst) await isIn(page)
    }
    await expect(page.getByText('This code is not right, or was used before.')).toBeVisible()
    await second(codes[4]!)
    await isIn(page)
    await console.visit('/account/security')
    await expect(page.getByText('8 codes left')).toBeVisible()
    await tabTo(page, 'button', 'Make new codes')
    await press(page, 'Enter')
    const ask = page.getByRole('dialog', { name: 'Make new recovery codes?' })
    await expect(ask).toBeVisible()
    await tabTo(page, 'button', 'Make new codes')
    await press(page, 'Enter')
    const fresh = await takeCodes(page)
    assert.ok(fresh.every((one) => !codes.includes(one)))
    await expect(page.getByText('10 codes left')).toBeVisible()
  })

  test('a passkey is made, named, used to sign in and to prove who one is, and removed', async () => {
    const console = await open()
    const { page } = console
    await withPassword(console)
    const owner = await withAuthenticator(page)
    await console.visit('/account/security')
    await tabTo(page, 'button', 'Add passkey')
    await press(page, 'Enter')
    const name = page.getByRole('textbox', { name: 'Name of the passkey' })
    await expect(name).toBeFocused()
    await press(page, 'Control+a')
    await page.keyboard.type('Laptop')
    await press(page, 'Enter')
    await takeCodes(page)
    const row = page.getByRole('listitem').filter({ hasText: 'Laptop' })
    await expect(row).toContainText('localhost')
    const act = async (way: string, label: string) => {
      await tabTo(page, 'button', `Actions for ${way}`)
      await press(page, 'Enter')
      await take(page, label)
    }
    await act('Laptop', 'Rename')
    const renaming = page.getByRole('dialog').getByRole('textbox')
    await expect(renaming).toBeFocused()
    await press(page, 'Control+a')
    await page.keyboard.type('Work laptop')
    await press(page, 'Enter')
    await expect(page.getByRole('listitem').filter({ hasText: 'Work laptop' })).toBeVisible()
    await signInAgain(page, owner)
    // What needs a proof asks for it, and the passkey gives it.
    await forgetProof(console)
    await console.visit('/account/security')
    await act('Work laptop', 'Remove')
    await tabTo(page, 'button', 'Remove')
    await press(page, 'Enter')
    await page.getByRole('dialog', { name: 'Prove that it is you' }).waitFor()
    await tabTo(page, 'button', 'Use a passkey')
    await press(page, 'Enter')
    await expect(page.getByText('You have no passkey yet.')).toBeVisible()
    await expect(page.getByText('They come with your first passkey or one-time code.')).toBeVisible()
  })

  test('the first administrator begins with a passkey, under the name of this installation', async () => {
    const console = await open({ role: null, isAlone: true })
    const { page, world, context, allow } = console
    await context.clearCookies()
    const origin = console.origin.replace('localhost', `wolke-${world.app.people.installation}.localhost`)
    allow(/^asked for http:\/\/wolke-\w+\.localhost:/)
    await page.goto(`${origin}/console/setup#${await makeSetupLink(world.db)}`)
    await expect(page).toHaveURL(`${origin}/console/setup`)
    await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible()
    await assertAccessible(page)
    // Only now, since devices end with any session of the developer tools.
    const owner = await withAuthenticator(page)
    await tabTo(page, 'textbox', 'Name')
    await page.keyboard.type('Eva Ost')
    await tabTo(page, 'button', 'Use a passkey')
    await press(page, 'Enter')
    // The address is missing: the browser says so and goes there.
    await expect(page.getByRole('textbox', { name: 'E-mail address' })).toBeFocused()
    await page.keyboard.type('eva@nordlicht.example')
    await tabTo(page, 'button', 'Use a passkey')
    await press(page, 'Enter')
    await page.waitForURL(`${origin}/console`)
    await page.goto(`${origin}/console/account/security`)
    await expect(page.getByText(`wolke-${world.app.people.installation}.localhost`)).toBeVisible()
    await expect(page.getByText('You have no password.')).toBeVisible()
    await signInAgain(page, owner)
  })

  test('a new password ends all other sessions, and one session is ended from the list', async () => {
    const console = await open()
    const { page, origin } = console
    const email = await withPassword(console)
    const others: Page[] = []
    for (const _ of [1, 2]) {
      const { page: other } = await console.newcomer()
      await other.goto(`${origin}/console/login`)
      await enterPassword(other, email)
      await isIn(other)
      others.push(other)
    }
    await console.visit('/account/sessions')
    await expect(page.getByRole('row')).toHaveCount(4)
    await expect(page.getByRole('row', { name: /This session/ })).toHaveCount(1)
    await page.keyboard.press('j')
    await page.keyboard.press('.')
    await take(page, 'End session')
    await confirm(page, /^End the session of .+\?$/, 'Keep it')
    await expect(page.getByRole('row')).toHaveCount(4)
    await page.keyboard.press('.')
    await take(page, 'End session')
    await confirm(page, /^End the session of .+\?$/, 'End session')
    await expect(page.getByRole('row')).toHaveCount(3)
    const status = (other: Page) =>
      other.evaluate(() => fetch('/console/api/wolke/v1/account').then((reply) => reply.status))
    assert.deepEqual((await Promise.all(others.map(status))).sort(), [200, 401])
    await forgetProof(console)
    await console.visit('/account/security')
    await tabTo(page, 'button', 'Change password')
    await press(page, 'Enter')
    await expect(page.getByLabel('New password')).toBeFocused()
    await page.keyboard.type('weihnachtsbaum')
    await press(page, 'Enter')
    const proof = page.getByRole('dialog', { name: 'Prove that it is you' })
    await expect(proof.getByLabel('Password')).toBeFocused()
    await page.keyboard.type(password)
    await press(page, 'Enter')
    await expect(page.getByLabel('New password')).toHaveAttribute('aria-invalid', 'true')
    await tabTo(page, 'textbox', 'New password')
    await press(page, 'Control+a')
    await page.keyboard.type('acht grüne Tassen singen')
    await press(page, 'Enter')
    await expect(page.getByText('The password was changed; all other sessions have ended')).toBeVisible()
    assert.deepEqual(await Promise.all(others.map(status)), [401, 401])
    await Promise.all(others.map((other) => other.context().close()))
    await console.visit('/account/sessions')
    await expect(page.getByRole('row')).toHaveCount(2)
  })

  test('language and theme are those of the person in every browser, before anything is drawn', async () => {
    const console = await open()
    const { page, context } = console
    const email = await withPassword(console)
    await console.visit('/account/profile')
    await tabTo(page, 'button', 'Theme')
    await press(page, 'Enter')
    const kept = page.waitForResponse((reply) => reply.url().endsWith('/account') && reply.request().method() === 'PUT')
    await take(page, 'Dark')
    assert.equal((await kept).status(), 200)
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    await tabTo(page, 'button', /^Account of |person-/)
    await press(page, 'Enter')
    await take(page, 'Deutsch')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ihr Konto')
    // Signing out forgets it all in this browser.
    const button = page.getByRole('button', { name: /person-/ })
    await button.focus()
    await press(page, 'Enter')
    await take(page, 'Abmelden')
    await page.waitForURL('**/console/login')
    assert.deepEqual(
      (await context.cookies()).filter(({ name }) => !name.endsWith('-try')),
      [],
    )
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    await enterPassword(page, email)
    await isIn(page)
    const html = await page.evaluate(() => fetch('/console').then((reply) => reply.text()))
    assert.match(html, /<html lang="de" data-theme="dark"/)
  })

  test('the login page works without JavaScript', async () => {
    const console = await open()
    const email = await withPassword(console)
    const { page, allow } = await console.newcomer({ javaScriptEnabled: false })
    allow(/status of 401 .*\/console\/login\)$/)
    await page.goto(`${console.origin}/console/login?next=/console/account/sessions`)
    await expect(page.getByRole('button', { name: 'Continue with a passkey' })).toBeHidden()
    for (const secret of ['not the password', password]) {
      await press(page, 'Tab')
      await page.getByRole('textbox', { name: 'E-mail address' }).focus()
      await press(page, 'Control+a')
      await page.keyboard.type(email)
      await press(page, 'Tab')
      await page.keyboard.type(secret)
      await press(page, 'Enter')
      if (secret !== password) await page.getByText('The address or the password is not right.').waitFor()
    }
    await page.waitForURL('**/console/account/sessions')
  })

  test('an identity of the organization is linked and removed', async () => {
    const people = {
      oidc: {
        issuer: provider.issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        admins: [],
        groups: [],
      },
    }
    // The provider goes by the time of the machine, and its pages are not ours to judge.
    const console = await open({ people, clock: testClock(new Date().toISOString()) })
    const { page, origin, allow } = console
    provider.allow(`${origin}/console/login/oidc/callback`)
    provider.accounts.set('jana', { email: 'jana@elsewhere.example', email_verified: true })
    allow(/^asked for (http:\/\/127\.0\.0\.1:|https:\/\/fonts\.)|ERR_NAME_NOT_RESOLVED/)
    await withPassword(console)
    await forgetProof(console)
    await console.visit('/account/security')
    const { host } = new URL(provider.issuer)
    await tabTo(page, 'button', `Link ${host}`)
    await press(page, 'Enter')
    await expect(page.getByRole('dialog', { name: 'Prove that it is you' }).getByLabel('Password')).toBeFocused()
    await page.keyboard.type(password)
    await press(page, 'Enter')
    await page.waitForURL(`${provider.issuer}/**`)
    await page.locator('input[name=login]').focus()
    await page.keyboard.type('jana')
    await press(page, 'Tab')
    await page.keyboard.type('any')
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Continue' }).focus()
    await press(page, 'Enter')
    await page.waitForURL(`${origin}/console/account/security`)
    await tabTo(page, 'button', 'Actions for 127.0.0.1')
    await press(page, 'Enter')
    await take(page, 'Remove')
    await tabTo(page, 'button', 'Remove')
    await press(page, 'Enter')
    await expect(page.getByText('Nothing is linked.')).toBeVisible()
  })
})

drivesWhatIsSaid(import.meta.filename)
