/** What is being typed is never lost, and never touched by what happens elsewhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { drivesWhatIsSaid } from './kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from './kit/harness.ts'
import { act, choose, confirm, fill, take } from './kit/keyboard.ts'
import { rulesOfFirst, someBalancers } from './states/firewalls.ts'
import { someKeys, someZones } from './states/resources.ts'
import { pathOf } from './states/servers.ts'

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' })

async function answer(page: Page, button: 'Keep editing' | 'Discard changes'): Promise<void> {
  await confirm(page, 'Discard your changes?', button)
}

/** Whether the browser would ask before it closes the page. */
function asksBeforeUnload(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const closing = new Event('beforeunload', { cancelable: true })
    return !(globalThis as unknown as EventTarget).dispatchEvent(closing)
  })
}

/** Holds the next request of a kind back until it is released. */
async function held(page: Page, url: RegExp, method: string): Promise<() => Promise<void>> {
  const gate = Promise.withResolvers<void>()
  const arrived = page.waitForRequest((request) => url.test(request.url()) && request.method() === method)
  await page.route(url, async (route) => {
    if (route.request().method() === method) await gate.promise
    await route.continue()
  })
  return async () => {
    await arrived
    gate.resolve()
  }
}

/** Reads what was changed over the API, without waiting for the event. */
async function settle({ world, page }: Console): Promise<void> {
  await world.settle()
  await expect(page.getByText('elsewhere while you were changing it')).toBeVisible()
}

forConsole('what was changed and not saved', (open) => {
  test('keeps its page until one says otherwise', async () => {
    const console = await open()
    await someZones(console)
    const { page } = console
    for (const { path, field, text } of [
      { path: 'P/servers/new', field: 'Name', text: 'web-9' },
      { path: 'P/zones/nordlicht.de/import', field: 'The file', text: 'www IN A 203.0.113.1' },
      { path: 'P/load-balancers/new', field: 'Name', text: 'shop' },
      { path: 'P/firewalls/new', field: 'Name', text: 'web' },
      { path: 'P/raw/servers_create', field: /^name/, text: 'x' },
      { path: 'P/settings', field: 'Name', text: '-2' },
      { path: '/account/profile', field: 'Name', text: ' N.' },
    ]) {
      await console.visit(path)
      assert.equal(await asksBeforeUnload(page), false, path)
      const box = page.getByRole('textbox', { name: field }).first()
      await box.focus()
      await press(page, 'End')
      await page.keyboard.type(text)
      const written = await box.inputValue()
      assert.equal(await asksBeforeUnload(page), true, path)
      await page.getByRole('link', { name: 'Wolke, all Projects' }).focus()
      await press(page, 'Enter')
      await question(page).waitFor()
      await press(page, 'Escape')
      await expect(box).toHaveValue(written)
    }
    await tabTo(page, 'link', 'Sessions')
    await press(page, 'Enter')
    await answer(page, 'Keep editing')
    await expect(page).toHaveURL(/profile$/)
    await tabTo(page, 'link', 'Sessions')
    await press(page, 'Enter')
    await answer(page, 'Discard changes')
    await expect(page).toHaveURL(/sessions$/)
    assert.equal(await asksBeforeUnload(page), false)
  })

  test('keeps its dialog, and what was saved does not ask', async () => {
    const console = await open()
    await someBalancers(console)
    const { page } = console
    await console.visit(await pathOf(console, 'web-1'))
    await choose(page, 'web-1', 'Labels')
    const dialog = page.getByRole('dialog', { name: 'Labels: web-1' })
    await dialog.waitFor()
    await press(page, 'Escape')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Actions for web-1' })).toBeFocused()
    await choose(page, 'web-1', 'Labels')
    await tabTo(page, 'textbox', 'Labels')
    await page.keyboard.type('team=a')
    await press(page, 'Enter', 'Escape')
    await answer(page, 'Keep editing')
    await expect(dialog).toBeVisible()
    await confirm(page, 'Labels: web-1', 'Save')
    await expect(page.getByText('team=a').first()).toBeVisible()
    assert.equal(await asksBeforeUnload(page), false)
  })

  test('of records outlives what happens to them elsewhere', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de')
    const { page, api } = console
    const records = '/zones/nordlicht.de/rrsets'
    await choose(page, 'www/A', 'Edit')
    const value = page.getByRole('textbox', { name: 'Address' })
    await expect(value).toBeFocused()
    await press(page, 'Control+a')
    await page.keyboard.type('203.0.113.77')
    // A set that is new, before this one, and another value of this one.
    await api.post(records, { name: 'aaa', type: 'A', records: [{ value: '203.0.113.1' }] })
    await api.post(`${records}/www/A/actions/set_records`, { records: [{ value: '203.0.113.2' }] })
    await settle(console)
    await expect(value).toHaveValue('203.0.113.77')
    await act(page, 'View theirs')
    await expect(value).toHaveValue('203.0.113.2')
    await fill(page, 'Address', '203.0.113.78')
    await press(page, 'Tab')
    await page.keyboard.type('mine')
    // Another set is not edited before this one may be lost.
    await act(page, 'New record')
    await answer(page, 'Keep editing')
    await expect(value).toHaveValue('203.0.113.78')
    await api.delete(`${records}/www/A`)
    await console.world.settle()
    await expect(page.getByText('deleted elsewhere while you were changing it')).toBeVisible()
    await expect(value).toHaveValue('203.0.113.78')
    await tabTo(page, 'textbox', 'Address')
    await press(page, 'Enter')
    await expect(value).toBeHidden()
    await console.world.settle()
    const { rrset } = (await api.get(`${records}/www/A`)).body
    assert.deepEqual(rrset.records, [{ value: '203.0.113.78', comment: 'mine' }])
  })

  test('of rules, services and labels can be put over what came from elsewhere', async () => {
    const console = await open()
    await someBalancers(console)
    const { page, api } = console
    await console.visit(await rulesOfFirst(console))
    await act(page, 'Add SSH')
    await page.keyboard.type('internet')
    await press(page, 'Enter')
    const [firewall] = (await api.get('/firewalls')).body.firewalls
    const theirs = [{ direction: 'in', protocol: 'tcp', port: '8443', source_ips: ['10.0.0.0/8'] }]
    await api.post(`/firewalls/${firewall.id}/actions/set_rules`, { rules: theirs })
    await settle(console)
    await act(page, 'View theirs')
    await expect(page.getByRole('complementary', { name: 'Changes' })).toContainText('No changes')
    await expect(page.getByRole('main')).toContainText('10.0.0.0/8')

    await console.visit(await pathOf(console, 'web-1', '/settings'))
    await tabTo(page, 'textbox', 'Labels')
    await page.keyboard.type('team=mine')
    await press(page, 'Enter')
    const { id } = (await api.get('/servers?name=web-1')).body.servers[0]
    await api.put(`/servers/${id}`, { labels: { team: 'theirs' } })
    await settle(console)
    await act(page, 'Overwrite with mine')
    await expect(page.getByText('elsewhere while')).toBeHidden()
    await act(page, 'Save')
    await expect.poll(async () => (await api.get(`/servers/${id}`)).body.server.labels.team).toBe('mine')

    const [balancer] = (await api.get('/load_balancers')).body.load_balancers
    await console.visit(`P/load-balancers/${balancer.id}/services`)
    await act(page, /^Actions for .*80/)
    await take(page, 'Change')
    await fill(page, /^Sends to port/, '8080')
    await api.post(`/load_balancers/${balancer.id}/actions/update_service`, { listen_port: 80, destination_port: 81 })
    await settle(console)
    await expect(page.getByRole('textbox', { name: /^Sends to port/ })).toHaveValue('8080')
    await press(page, 'Escape')
    await answer(page, 'Discard changes')
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  test('while the rest was being saved stays changed', async () => {
    const console = await open()
    await someBalancers(console)
    const { page, api, world } = console
    await console.visit(await pathOf(console, 'web-1', '/settings'))
    await fill(page, 'Name', 'web-7')
    let release = await held(page, /\/servers\/\d+$/, 'PUT')
    await press(page, 'Enter')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.focus()
    await press(page, 'End')
    await page.keyboard.type('0')
    await release()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('web-7')
    await expect(name).toHaveValue('web-70')
    assert.equal(await asksBeforeUnload(page), true)
    await expect(page.getByText('elsewhere while')).toBeHidden()
    await press(page, 'Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('web-70')
    await expect.poll(() => asksBeforeUnload(page)).toBe(false)

    await console.visit(await rulesOfFirst(console))
    const changes = page.getByRole('complementary', { name: 'Changes' })
    await act(page, 'Add SSH')
    await page.keyboard.type('10.0.0.0/8')
    await press(page, 'Enter')
    release = await held(page, /set_rules$/, 'POST')
    await act(page, /^Apply/)
    await act(page, 'Add HTTP')
    await page.keyboard.type('192.0.2.0/24')
    await press(page, 'Enter')
    await release()
    await expect(changes).toContainText('1 change')
    await expect(page.getByText('elsewhere while')).toBeHidden()
    await act(page, /^Apply/)
    await expect(changes).toContainText('No changes')
    await world.settle()
    const [firewall] = (await api.get('/firewalls')).body.firewalls
    assert.deepEqual(
      firewall.rules.map(({ port }: { port: string }) => port),
      ['443', '22', '80'],
    )
  })

  test('of reverse names is kept for each address, and not put over what came from elsewhere unasked', async () => {
    const console = await open()
    const { page, api, world } = console
    const made = await api.post('/floating_ips', { type: 'ipv6', home_location: 'fsn1', name: 'net' })
    await world.settle()
    const { id, ip } = made.body.floating_ip
    const at = (end: string) => ip.replace(/\/\d+$/, end)
    const give = (end: string, name: string) =>
      api.post(`/floating_ips/${id}/actions/change_dns_ptr`, { ip: at(end), dns_ptr: name })
    await give('1', 'one.example.com')
    await give('2', 'two.example.com')
    await world.settle()
    await console.visit('P/floating-ips')
    await choose(page, 'net', 'Reverse name')
    const name = page.getByRole('textbox', { name: 'Host name' })
    const which = page.getByRole('combobox', { name: 'Address' })
    await expect(name).toHaveValue('one.example.com')
    await which.selectOption(at('2'))
    await expect(name).toHaveValue('two.example.com')
    await which.selectOption('Another address')
    await expect(name).toHaveValue('one.example.com')
    await fill(page, 'Another address', at('0:2'))
    await expect(name).toHaveValue('two.example.com')
    await fill(page, 'Another address', at('3'))
    await expect(name).toHaveValue('')
    await which.selectOption(at('2'))
    await fill(page, 'Host name', 'mine.example.com')
    await give('1', 'other.example.com')
    await give('2', 'theirs.example.com')
    await settle(console)
    await expect(name).toHaveValue('mine.example.com')
    await act(page, 'Overwrite with mine')
    await confirm(page, /^Reverse name of/, 'Set the name')
    await world.settle()
    const { dns_ptr: names } = (await api.get(`/floating_ips/${id}`)).body.floating_ip
    assert.deepEqual(
      names.map((one: { dns_ptr: string }) => one.dns_ptr),
      ['other.example.com', 'mine.example.com'],
    )
  })

  test('of a new address outlives the last server', async () => {
    const console = await open()
    const { page, api, world } = console
    const { body } = await api.post('/servers', { name: 'web-1', server_type: 'cx23', image: 'debian-12' })
    await world.settle()
    await console.visit('P/floating-ips')
    await press(page, 'c')
    await fill(page, 'Name', 'www')
    const dialog = page.getByRole('dialog', { name: 'Create Floating IP' })
    await dialog.getByText('For a server').click()
    await expect(dialog.getByRole('radio', { name: 'web-1' })).toBeVisible()
    await api.delete(`/servers/${body.server.id}`)
    await world.settle()
    await expect(dialog.getByRole('combobox', { name: 'Location' })).toBeVisible()
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('www')
    await confirm(page, 'Create Floating IP', 'Create Floating IP')
    await world.settle()
    assert.equal((await api.get('/floating_ips?name=www')).body.floating_ips.length, 1)
  })

  test('of names and labels in dialogs, which a key opens, can be put over what came from elsewhere', async () => {
    const console = await open()
    await someBalancers(console)
    await someKeys(console)
    const { page, api } = console
    const [key] = (await api.get('/ssh_keys')).body.ssh_keys
    await console.visit('P/security/ssh-keys')
    await press(page, 'j', 'e')
    const renaming = page.getByRole('dialog', { name: 'Rename laptop' })
    await fill(page, 'Name', 'mine')
    await api.put(`/ssh_keys/${key.id}`, { name: 'theirs' })
    await settle(console)
    await act(page, 'View theirs')
    await expect(renaming.getByRole('textbox', { name: 'Name' })).toHaveValue('theirs')
    await fill(page, 'Name', 'mine')
    await press(page, 'Enter')
    await expect(renaming).toBeHidden()
    await expect(page.getByRole('button', { name: 'Actions for mine' })).toBeFocused()
    await choose(page, 'mine', 'Labels')
    await tabTo(page, 'textbox', 'Labels')
    await page.keyboard.type('team=mine')
    await press(page, 'Enter')
    await api.put(`/ssh_keys/${key.id}`, { labels: { team: 'theirs' } })
    await settle(console)
    await act(page, 'Overwrite with mine')
    await confirm(page, 'Labels: ', 'Save')
    await expect.poll(async () => (await api.get(`/ssh_keys/${key.id}`)).body.ssh_key.labels.team).toBe('mine')

    // Of the open resource, where no row has the focus.
    await console.visit(await pathOf(console, 'web-1'))
    await press(page, 'e')
    await fill(page, 'Name', 'web-7')
    await confirm(page, 'Rename web-1', 'Rename')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('web-7')

    const viewer = await console.signIn('viewer')
    await viewer.visit(await pathOf(console, 'web-7'))
    await press(viewer.page, 'e')
    await expect(viewer.page.getByRole('menuitem', { name: 'Rename' })).toHaveAccessibleDescription(/needs the role/)
  })
})

drivesWhatIsSaid(import.meta.filename)
