/** The form that creates servers: what it offers, what it says, and what becomes of it. Used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { rounded } from '../../../src/protocols/net/decimal.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, fill, take } from '../kit/keyboard.ts'
import { someKeys } from '../states/resources.ts'
import { someVolumes } from '../states/servers.ts'

const summary = (page: Page) => page.getByRole('complementary', { name: 'Summary' })
const createButton = (page: Page) => summary(page).getByRole('button', { name: /^Create/ })

const refusal = (fields: readonly string[]) => ({
  status: 422,
  contentType: 'application/json',
  body: JSON.stringify({
    error: {
      code: 'invalid_input',
      message: 'invalid input',
      details: { fields: fields.map((name) => ({ name, messages: [`${name} is wrong`] })) },
    },
  }),
})

/** Answers requests for new servers that the test chooses; the others reach the server. */
async function refuse(page: Page, fields: readonly string[], isRefused: (name: string) => boolean): Promise<void> {
  await page.route(/\/servers$/, async (route) => {
    const { name } = (route.request().postDataJSON() ?? {}) as { name?: string }
    await (name !== undefined && isRefused(name) ? route.fulfill(refusal(fields)) : route.continue())
  })
}

async function namesOf({ api }: Console): Promise<string[]> {
  return (await api.get('/servers?sort=name')).body.servers.map(({ name }: { name: string }) => name)
}

forConsole('the form for servers in the console', (open) => {
  test('says what cannot be had, and names no price for it', async () => {
    const console = await open()
    const { page } = console
    for (const [search, reason, hasPrice] of [
      ['image=bogus', 'There is no image bogus.', true],
      ['type=bogus', 'There is no type bogus.', false],
      ['location=nowhere', 'There is no location nowhere.', false],
      ['type=cx23&location=ash&image=debian-12', 'cx23: Not offered here.', false],
      ['type=cax11&location=fsn1&image=debian-12&name=web-{3..1}', 'A range counts up', true],
    ] as const) {
      await console.visit(`P/servers/new?${search}`)
      await expect(createButton(page)).toHaveAttribute('aria-disabled', 'true')
      await expect(createButton(page)).toHaveAccessibleDescription(new RegExp(reason.replaceAll('.', '\\.')))
      await expect(page.getByRole('group').getByText(reason).first()).toBeVisible()
      await expect(summary(page).getByText('€').first()).toBeVisible({ visible: hasPrice })
    }
    // The price of the list, without VAT, everywhere that it is shown.
    const { pricing } = (await console.api.get('/pricing')).body
    const type = pricing.server_types.find(({ name }: { name: string }) => name === 'cx23')
    const { net } = type.prices.find(({ location }: { location: string }) => location === 'fsn1').price_monthly
    await console.visit('P/servers/new?type=cx23&location=fsn1&image=debian-12')
    const amount = `€${rounded(net, 2)}`
    await expect(summary(page)).toContainText(amount)
    await expect(summary(page)).toContainText('a month, excl. VAT')
    await expect(page.getByRole('row', { name: /^cx23/ })).toContainText(amount)
    // A pointer chooses with the whole row.
    await page.getByRole('row', { name: /^cx33/ }).getByText('€').last().click()
    await expect(page.getByRole('radio', { name: 'cx33', exact: true })).toBeChecked()
    await expect(page).toHaveURL(/type=cx33/)
    assert.deepEqual(await namesOf(console), [])
  })

  test('keeps what was chosen and is gone in view, until it is taken off', async () => {
    const console = await open()
    await someKeys(console)
    await console.visit('P/servers/new')
    const { page, api, world } = console
    const [key] = (await api.get('/ssh_keys')).body.ssh_keys
    await expect(createButton(page)).not.toHaveAttribute('aria-disabled')
    await api.delete(`/ssh_keys/${key.id}`)
    await world.settle()
    const keys = page.getByRole('group', { name: 'SSH keys' })
    await expect(keys).toContainText(`#${key.id} is gone`)
    await expect(keys).toHaveAccessibleDescription('What is marked cannot be had. Take it off.')
    await expect(createButton(page)).toHaveAccessibleDescription(/Take it off/)
    await act(page, `Remove #${key.id}`)
    await expect(keys).toContainText('There are no SSH keys yet.')
    await expect(createButton(page)).not.toHaveAttribute('aria-disabled')
  })

  test('says in each section what the server refuses', async () => {
    const console = await open()
    await someKeys(console)
    await console.api.post('/placement_groups', { name: 'apart', type: 'spread' })
    const { page } = console
    const fields = ['location', 'server_type', 'image', 'ssh_keys[0]', 'networks[0]', 'placement_group', 'firewalls[0]']
    await refuse(page, [...fields, 'volumes[0]'], () => true)
    await console.visit('P/servers/new')
    await act(page, /^Create server/)
    for (const [section, text] of [
      ['Location', 'location is wrong'],
      ['Type', 'server_type is wrong'],
      ['Image', 'image is wrong'],
      ['SSH keys', '[0] ssh_keys[0] is wrong'],
      ['Networking', '[0] networks[0] is wrong'],
      ['Volumes', '[0] volumes[0] is wrong'],
      ['Firewalls', '[0] firewalls[0] is wrong'],
    ] as const) {
      await expect(page.getByRole('group', { name: section, exact: true }).first()).toHaveAccessibleDescription(text)
    }
    await expect(page.getByRole('combobox', { name: 'Placement group' })).toHaveAccessibleDescription(/is wrong/)
    // What sections say is not said again where it is told that nothing was created.
    await expect(summary(page)).toContainText('was not created and costs nothing.')
    await expect(summary(page)).not.toContainText('is wrong')
  })

  test('counts what is still to be made, with the zeros of the first number', async () => {
    const console = await open()
    await someKeys(console)
    const { page, world } = console
    let isFull = true
    await refuse(page, ['location'], (name) => isFull && name !== 'web-08')
    await console.visit('P/servers/new')
    await fill(page, 'Name', 'web-{08..10}')
    await expect(summary(page)).toContainText('web-08, web-09, and web-10')
    await expect(summary(page)).toContainText('× 3')
    await act(page, 'Create 3 servers')
    await expect(summary(page)).toContainText('web-09 was not created and costs nothing.')
    await expect(summary(page)).toContainText('web-09 and web-10')
    await expect(summary(page)).toContainText('× 2')
    isFull = false
    await act(page, 'Create 2 servers')
    await expect(page).toHaveURL(/\/servers$/)
    await world.settle()
    assert.deepEqual(await namesOf(console), ['web-08', 'web-09', 'web-10'])
  })

  test('attaches volumes that are free there, and keeps the name of a link', async () => {
    const console = await open()
    await someKeys(console)
    await someVolumes(console)
    await console.visit('P/servers/new?location=nbg1&name=db-9')
    const { page, api, world } = console
    const volumes = page.getByRole('group', { name: 'Volumes' })
    await expect(volumes).toContainText('There is no free volume in nbg1.')
    await tabTo(page, 'radio', /nbg1/)
    await press(page, 'ArrowLeft')
    await expect(page.getByRole('radio', { name: /fsn1/ })).toBeChecked()
    await expect(page).toHaveURL(/name=db-9/)
    await act(page, 'Add: Volumes')
    await take(page, 'data')
    await expect(volumes.getByRole('checkbox', { name: 'Mount them in the server' })).toBeChecked()
    await fill(page, 'Name', 'db-{1..2}')
    await expect(createButton(page)).toHaveAccessibleDescription(/A volume can be in one server only/)
    await fill(page, 'Name', 'db-1')
    await act(page, /^Create server/)
    await expect(page).toHaveURL(/\/servers$/)
    await world.settle()
    const [server] = (await api.get('/servers?name=db-1')).body.servers
    const [volume] = (await api.get('/volumes?name=data')).body.volumes
    assert.deepEqual(server.volumes, [volume.id])
  })

  test('can be passed on as a link that fills it in', async () => {
    const console = await open()
    const { page, context, origin } = console
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
    await console.visit('P/servers/new')
    await act(page, 'Copy link to this form')
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    const { searchParams } = new URL(link)
    assert.deepEqual([...searchParams.keys()], ['type', 'image', 'location', 'name'])
    assert.equal(searchParams.get('name'), 'server-1')
    // Where the proposal is another one by then.
    await console.api.post('/servers', { name: 'web-7', server_type: 'cx23', image: 'debian-12' })
    await console.world.settle()
    await page.goto(link)
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('server-1')
  })

  test('turns backups on with the command that it shows', async () => {
    const console = await open()
    await someKeys(console)
    await console.visit('P/servers/new?name=web-1')
    const { page, api, world } = console
    await tabTo(page, 'switch', /One a day/)
    await press(page, 'Space')
    await expect(summary(page).getByRole('tabpanel')).toContainText('--enable-backup')
    await act(page, /^Create server/)
    await expect(page).toHaveURL(/\/servers$/)
    await world.settle()
    assert.notEqual((await api.get('/servers?name=web-1')).body.servers[0].backup_window, null)
  })
})
