/** The pages of tokens, members, settings, activity and raw requests, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { hashPassword } from '../../../src/kernel/secrets/password-hash.ts'
import { allEndpoints, ownEndpoints } from '../../../src/pages/openapi.ts'
import { addCredential } from '../../../src/people/credentials/credential-store.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, moveTo, press, tabTo } from '../kit/harness.ts'
import { act, confirm, fill, take } from '../kit/keyboard.ts'
import { someServers } from '../states/servers.ts'

/** Lets the session of the person be an old one, whose password is known. */
async function forgetProof({ world, person: { id } }: Console, password: string): Promise<void> {
  const data = await hashPassword(password)
  await world.db.transact(async (tx) => {
    await addCredential(tx, { personId: id, kind: 'password', subject: String(id), data, name: '' })
    await tx.query.updateTable('session').set({ elevated_until: 0 }).where('person_id', '=', id).execute()
  })
}

/** In the commands of each of these clients, this API stands first, as both endpoints. */
async function namesEndpointsFirst({ origin }: Console, place: Locator, clients: readonly string[]): Promise<void> {
  const exported = `export HCLOUD_ENDPOINT=${origin}/v1 HETZNER_ENDPOINT=${origin}/storage/v1\n`
  const block = `provider "hcloud" {\n  endpoint         = "${origin}/v1"\n  endpoint_hetzner = "${origin}/storage/v1"\n`
  for (const client of clients) {
    await place.getByRole('tab', { name: client }).click()
    const text = (await place.getByRole('tabpanel').locator('code').textContent()) ?? ''
    const first = client === 'Terraform' ? block : exported
    assert.equal(text.slice(0, first.length), first, client)
  }
}

forConsole('access in the console', (open) => {
  test('what is shown for programs names this API first, so that nobody pays for it at another one', async () => {
    const console = await open()
    const { page, origin } = console
    const exported = `export HCLOUD_ENDPOINT=${origin}/v1 HETZNER_ENDPOINT=${origin}/storage/v1`
    await console.visit('P')
    await expect(page.getByRole('main').getByRole('listitem').locator('code').first()).toHaveText(exported)
    for (const [path, command] of [
      ['volumes', 'hcloud volume create'],
      ['servers', 'hcloud server create'],
    ]) {
      await console.visit(`P/${path}`)
      const shown = page.getByRole('main').locator('code').filter({ hasText: command! })
      await expect(shown).toBeVisible()
      assert.ok((await shown.textContent())!.startsWith(`${exported}\n${command}`), path)
    }
    await console.visit('P/servers/new?name=web-1&type=cx23&location=fsn1&image=debian-12')
    await namesEndpointsFirst(console, page.getByRole('region', { name: 'Equivalent command' }), [
      'hcloud',
      'Terraform',
    ])
  })

  test('a token is created with limits, shown once, and does what its sentence says', async () => {
    const console = await open()
    await console.visit('P/security/tokens')
    const { page, world } = console
    await press(page, 'c')
    const form = page.getByRole('dialog', { name: 'Create token' })
    await expect(form.getByRole('textbox', { name: 'Description' })).toBeFocused()
    await page.keyboard.type('reader of servers')
    await tabTo(page, 'switch', 'Limit what it may do')
    await press(page, 'Space')
    await tabTo(page, 'checkbox', 'servers')
    await press(page, 'Space')
    await tabTo(page, 'checkbox', 'Read')
    await press(page, 'Space')
    await expect(form.getByText('May read in servers.')).toBeVisible()
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog', { name: 'Your new token “reader of servers”' })
    await expect(dialog).toBeVisible()
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    await namesEndpointsFirst(console, dialog, ['hcloud', 'env', 'Terraform'])
    await press(page, 'Escape')
    await expect(dialog).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Done' })).toBeDisabled()
    await tabTo(page, 'checkbox', 'I have stored it')
    await press(page, 'Space')
    await tabTo(page, 'button', 'Done')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('row', { name: /reader of servers/ })).toContainText('May read in servers.')
    const ask = (path: string) => fetch(`${world.baseUrl}${path}`, { headers: { authorization: `Bearer ${secret}` } })
    assert.deepEqual([(await ask('/servers')).status, (await ask('/firewalls')).status], [200, 403])
  })

  test('a token is not made to end in the past, and the button says why', async () => {
    const console = await open()
    await console.visit('P/security/tokens')
    const { page } = console
    await press(page, 'c')
    const form = page.getByRole('dialog', { name: 'Create token' })
    const send = form.getByRole('button', { name: 'Create token' })
    await expect(send).toHaveAccessibleDescription('Fill in what is missing first')
    await form.getByRole('textbox', { name: 'Description' }).fill('old')
    await form.getByRole('combobox', { name: 'Expires' }).selectOption('other')
    const time = form.getByLabel('Expires at')
    await time.fill('2020-01-01T10:00')
    await expect(time).toHaveAccessibleDescription('This time is over.')
    await expect(send).toHaveAccessibleDescription('This time is over.')
    await time.fill('2099-01-01T10:00')
    await expect(send).toHaveAccessibleDescription('')
    await expect(form.getByRole('region', { name: 'Equivalent command' })).toContainText('$MANAGEMENT_TOKEN')
  })

  test('what cannot be an address is said at its field, and whoever invites sees the command', async () => {
    const console = await open()
    await console.visit('P/security/members')
    const { page } = console
    await press(page, 'c')
    const form = page.getByRole('dialog', { name: 'Invite somebody' })
    const address = form.getByRole('textbox', { name: 'Mail address' })
    await expect(form.getByRole('button', { name: 'Invite' })).toHaveAccessibleDescription(/Fill in/)
    await address.fill('eva at home')
    await press(page, 'Enter')
    await expect(address).toHaveAccessibleDescription(/This is no mail address/)
    await address.fill('eva@nordlicht.example')
    await expect(address).toHaveAccessibleDescription('')
    await expect(form.getByRole('tab')).toHaveText(['curl'])
    await expect(form.getByRole('tabpanel')).toContainText('eva@nordlicht.example')
  })

  test('a change whose answer is lost is not said to have failed', async () => {
    const console = await open()
    await console.visit('P/security/tokens')
    const { page, api } = console
    console.allow(/net::ERR_FAILED|^Failed to load resource/)
    await page.route('**/tokens/*', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await press(page, 'j', '.')
    await page.getByRole('menuitem', { name: 'Revoke' }).press('Enter')
    const question = page.getByRole('dialog', { name: /^Revoke / })
    await expect(question.getByRole('tabpanel')).toContainText('--request DELETE')
    await question.getByRole('button', { name: 'Revoke token' }).press('Enter')
    await expect(question.getByText('It is not known whether this was done.')).toBeVisible()
    await expect(question.getByText('Nothing was changed.')).toBeHidden()
    assert.ok(api)
  })

  test('a rotated token has both in the list until the old one is revoked', async () => {
    const console = await open()
    await console.visit('P/security/tokens')
    const { page } = console
    await expect(page.getByRole('row')).toHaveCount(3)
    await press(page, '`')
    const commands = page.getByRole('dialog', { name: 'Commands' })
    await expect(commands).toContainText('Authorization: Bearer $MANAGEMENT_TOKEN')
    await expect(commands).toContainText('wolke token create --management')
    await press(page, 'Escape')
    await expect(commands).toBeHidden()
    await press(page, 'j', '.')
    await take(page, 'Rotate')
    await tabTo(page, 'button', 'Make the second token')
    await press(page, 'Enter')
    await tabTo(page, 'checkbox', 'I have stored it')
    await press(page, 'Space')
    await tabTo(page, 'button', 'Done')
    await press(page, 'Enter')
    await expect(page.getByText(/^replaced by …/)).toBeVisible()
    await expect(page.getByRole('row')).toHaveCount(4)
    const old = page.getByRole('row').filter({ hasText: 'replaced by …' })
    await moveTo(old.getByRole('button', { name: /^Actions for/ }), 200)
    await press(page, 'Enter')
    await take(page, 'Revoke')
    await confirm(page, /^Revoke/, 'Revoke token')
    await expect(old).toHaveCount(0)
    await expect(page.getByRole('row')).toHaveCount(3)
  })

  test('a call that needs a proof asks for it inside the dialog, and is then made again', async () => {
    const console = await open()
    const { page } = console
    await forgetProof(console, 'sieben blaue Teller tanzen')
    await console.visit('P/security/tokens')
    await press(page, 'c')
    await expect(page.getByRole('textbox', { name: 'Description' })).toBeFocused()
    await page.keyboard.type('ci')
    await press(page, 'Enter')
    const proof = page.getByRole('dialog', { name: 'Prove that it is you' })
    const password = proof.getByLabel('Password')
    await expect(password).toBeFocused()
    await page.keyboard.type('not the password')
    await press(page, 'Enter')
    await expect(proof.getByText('This is not right. Try again.')).toBeVisible()
    await tabTo(page, 'textbox', 'Password')
    await press(page, 'Control+a')
    await page.keyboard.type('sieben blaue Teller tanzen')
    await press(page, 'Enter')
    await expect(page.getByRole('dialog', { name: 'Your new token “ci”' })).toBeVisible()
  })

  test('without the proof nothing is done, and the form stays as it was', async () => {
    const console = await open()
    const { page } = console
    await forgetProof(console, 'sieben blaue Teller tanzen')
    await console.visit('P/security/tokens')
    await press(page, 'c')
    await expect(page.getByRole('textbox', { name: 'Description' })).toBeFocused()
    await page.keyboard.type('ci')
    await press(page, 'Enter')
    await page.getByRole('dialog', { name: 'Prove that it is you' }).waitFor()
    await press(page, 'Escape')
    const form = page.getByRole('dialog', { name: 'Create token' })
    await expect(form.getByRole('textbox', { name: 'Description' })).toHaveValue('ci')
    await expect(form.getByRole('alert')).toContainText('elevation_required')
  })

  test('somebody is invited by a link where there is no mail server, and the invitation is withdrawn', async () => {
    const console = await open()
    await console.visit('P/security/members')
    const { page } = console
    await press(page, 'c')
    await expect(page.getByRole('textbox', { name: 'Mail address' })).toBeFocused()
    await page.keyboard.type('new@nordlicht.example')
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog', { name: 'new@nordlicht.example is invited' })
    await expect(dialog.locator('code')).toContainText('/console/invite#')
    await tabTo(page, 'button', 'Done')
    await press(page, 'Enter')
    await tabTo(page, 'button', 'Actions for new@nordlicht.example')
    await press(page, 'Enter')
    await take(page, 'Withdraw the invitation')
    await tabTo(page, 'button', 'Withdraw invitation')
    await press(page, 'Enter')
    await expect(page.getByText('new@nordlicht.example')).toHaveCount(0)
  })

  test('a Project gets another name', async () => {
    const console = await open()
    await console.visit('P/settings')
    const { page, api } = console
    await tabTo(page, 'textbox', 'Name')
    await press(page, 'Control+a')
    await page.keyboard.type('nordlicht')
    await press(page, 'Enter')
    await expect(page.getByText('The settings were saved')).toBeVisible()
    assert.equal((await api.get('/../wolke/v1/whoami')).body.whoami.project.name, 'nordlicht')
  })

  test('the activity shows every act once, and the address keeps the filter', async () => {
    const console = await open()
    await someServers(console)
    const { page, api } = console
    await api.post('/placement_groups', { name: 'apart', type: 'spread' })
    await console.visit('P/activity')
    await expect(page.getByRole('link', { name: 'Create server' }).first()).toBeVisible()
    // What starts no action is told by its request.
    await expect(page.getByRole('link', { name: 'POST /placement_groups' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'POST /servers' })).toHaveCount(0)
    await console.visit('P/activity?what=requests')
    await expect(page.getByRole('link', { name: 'POST /servers' }).first()).toBeVisible()
    await console.visit('P/activity')
    // The filter comes with the entries.
    await expect(page.getByRole('link', { name: 'Create server' }).first()).toBeVisible()
    await press(page, '/')
    await page.keyboard.type('protection')
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(2)
    await expect(page).toHaveURL(/q=protection/)
    await tabTo(page, 'link', 'Change protection')
    await press(page, 'Enter')
    const sheet = page.getByRole('dialog', { name: 'Change protection' })
    await expect(sheet.getByText('change_protection')).toBeVisible()
    await press(page, 'Escape')
    await expect(sheet).toBeHidden()
    await console.visit('P/security/audit?q=change_protection')
    await tabTo(page, 'button', 'Export CSV')
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Enter')])
    const [titles = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.match(titles, /^id,.*correlation_id/)
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /change_protection/)
  })

  test('actions, families and resources have German words, and who started what is told', async () => {
    const console = await open({ language: 'de' })
    await someServers(console)
    const { page } = console
    await console.visit('P/activity')
    await expect(page.getByRole('link', { name: 'Server erstellen' }).first()).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Familie' })).toContainText('Server')
    await console.visit('P/')
    const done = page.getByRole('listitem').filter({ hasText: 'Server erstellen' })
    await expect(done.first()).toContainText(/build-1 · Token test/)
    await expect(page.getByText('dieser Rechner')).toBeVisible()
  })

  test('an entry of the audit log says from where, and opens with all that is known of it', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/security/audit')
    const { page } = console
    const row = page.getByRole('row', { name: /POST \/servers/ }).first()
    await expect(row.getByRole('cell', { name: /127\.0\.0\.1|::1|unknown/ })).toBeVisible()
    await tabTo(page, 'link', 'POST /servers')
    await press(page, 'Enter')
    const sheet = page.getByRole('dialog', { name: 'POST /servers' })
    await expect(sheet.getByText('Correlation id')).toBeVisible()
    await expect(page).toHaveURL(/entry=\d+/)
    await press(page, 'Escape')
    await expect(sheet).toBeHidden()
    await page.setViewportSize({ width: 375, height: 800 })
    await expect(row.getByRole('time')).toBeVisible()
  })

  test('the audit log is exported to its end, over empty pages, or the file says where it ends', async () => {
    const console = await open()
    await console.visit('P/security/audit')
    const { page } = console
    let left = 3
    await page.route(/\/audit\?.*per_page=1000/, (route) => {
      left -= 1
      const line = left === 1 ? '' : `${left},done\r\n`
      const link = left === 0 ? {} : { link: `</wolke/v1/audit?per_page=1000&before=${left}>; rel="next"` }
      return route.fulfill({ contentType: 'text/csv', headers: link, body: `id,outcome\r\n${line}` })
    })
    const save = async () => {
      await tabTo(page, 'button', 'Export CSV')
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Enter')])
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
    }
    assert.deepEqual(await save(), { name: 'audit.csv', text: 'id,outcome\r\n2,done\r\n0,done\r\n' })
    left = 10_000
    assert.equal((await save()).name, 'audit-newest-200.csv')
    await expect(page.getByText('The file has the newest 200 entries only')).toBeVisible()
  })

  test('every operation of the contract can be called as a raw request', async () => {
    const console = await open()
    await console.visit('P/raw')
    const { page } = console
    const known = [...allEndpoints(), ...ownEndpoints()]
      .filter(({ endpoint: { removedBy } }) => !removedBy)
      .map(({ family, key }) => `${family}_${key}`)
    const links = page.getByRole('main').locator('a[href*="/raw/"]')
    await expect(links.first()).toBeVisible()
    const shown = await links.evaluateAll((all) =>
      all.map((link) => (link as unknown as { href: string }).href.split('/').at(-1)),
    )
    assert.deepEqual(
      known.filter((id) => !shown.includes(id)),
      [],
    )
    await press(page, '/')
    await page.keyboard.type('ssh_keys_create')
    await tabTo(page, 'link', /^Create an? SSH key|^Add an? SSH key|^Upload an? SSH key/)
    await press(page, 'Enter')
    await tabTo(page, 'button', 'Send')
    await press(page, 'Enter')
    await expect(page.getByText('This is required.').first()).toBeVisible()
  })

  test('a raw request that interrupts or loses something asks first, by name', async () => {
    const console = await open()
    const { page, api } = console
    const { id } = (await api.post('/placement_groups', { name: 'apart', type: 'spread' })).body.placement_group
    const left = async () => (await api.get('/placement_groups')).body.placement_groups.length
    await console.visit('P/placement-groups')
    await press(page, 'g', 'r')
    await page.getByRole('heading', { level: 1, name: /Raw request/ }).waitFor()
    await page.keyboard.type('/placement_groups_remove')
    await tabTo(page, 'link', /^Delete a placement group/i)
    await press(page, 'Enter')
    await fill(page, /^id/, String(id))
    await act(page, 'Send')
    const question = page.getByRole('dialog', { name: /^Delete a placement group\?$/i })
    await expect(question).toContainText('apart')
    await press(page, 'Escape')
    await expect(question).toBeHidden()
    assert.equal(await left(), 1)
    await act(page, 'Send')
    await confirm(page, /^Delete a placement group\?$/i, 'Send')
    await expect.poll(left).toBe(0)
  })
})

drivesWhatIsSaid(import.meta.filename)
