/** The pages of servers, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, take } from '../kit/keyboard.ts'
import { pathOf, someServers } from '../states/servers.ts'

/** What functions find that run in the browser. */
declare const document: { querySelector(selector: string): unknown }
declare class MutationObserver {
  constructor(told: () => void)
  observe(target: unknown, what: { readonly childList: boolean; readonly subtree: boolean }): void
  disconnect(): void
}

/** The headers of a file as it is sent to who takes gzip. */
async function rawGet(url: string) {
  const [response] = (await once(get(url, { headers: { 'accept-encoding': 'gzip' } }), 'response')) as [IncomingMessage]
  response.resume()
  return { headers: response.headers, status: response.statusCode }
}

/** Notes in the page when its first row is there. */
function noteFirstRow(): void {
  const watch = new MutationObserver(() => {
    if (!document.querySelector('tr[data-row]')) return
    performance.mark('first row')
    watch.disconnect()
  })
  watch.observe(document, { childList: true, subtree: true })
}

/** The scripts that were asked for before the first row was there, and those after it. */
function scriptsAroundFirstRow() {
  const [{ startTime: at } = { startTime: Number.NaN }] = performance.getEntriesByName('first row')
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => /\/assets\/.*\.js$/.test(name))
  const names = (some: typeof scripts) => some.map(({ name }) => name.split('/').at(-1) ?? '')
  return {
    before: names(scripts.filter(({ startTime }) => startTime <= at)),
    after: names(scripts.filter(({ startTime }) => startTime > at)),
  }
}

forConsole('servers in the console', (open) => {
  test('are listed with their state, and found by name, address and label selector', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers')
    const { page } = console
    const rows = page.getByRole('table').getByRole('row')
    await expect(rows).toHaveCount(5)
    await expect(rows.nth(1)).toContainText('build-1')
    await expect(rows.nth(1)).toContainText('Off')
    await press(page, '/')
    await page.keyboard.type('role=web,env=prod')
    await expect(rows).toHaveCount(3)
    await expect(page).toHaveURL(/q=role%3Dweb/)
    await page.keyboard.type('(')
    await expect(page.getByRole('searchbox')).toHaveAttribute('aria-invalid', 'true')
    await press(page, 'Control+a')
    await page.keyboard.type('db-')
    await expect(rows).toHaveCount(2)
  })

  for (const language of ['en', 'de'] as const) {
    test(`are there after 130 kB of code at most, which the browser keeps for good (${language})`, async () => {
      const { page, visit, api, world, origin } = await open({ language })
      await api.post('/servers', { name: 'web', server_type: 'cx23', image: 'debian-13' })
      await world.settle()
      await page.addInitScript(noteFirstRow)
      await visit('P/servers')
      await expect(page.locator('tr[data-row]')).toHaveCount(1)
      await expect(page.getByRole('button', { name: language === 'de' ? 'Spalten' : 'Columns' })).toBeVisible()
      const { before, after } = await page.evaluate(scriptsAroundFirstRow)
      assert.ok(
        after.some((name) => name.startsWith('menu-popup-')),
        'what the first picture can do without comes later',
      )
      const bytes = await Promise.all(
        before.map(async (name) => {
          const { headers, status } = await rawGet(`${origin}/console/assets/${name}`)
          assert.equal(status, 200)
          assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
          assert.equal(headers['x-content-type-options'], 'nosniff')
          return Number(headers['content-length'])
        }),
      )
      const sum = bytes.reduce((all, one) => all + one, 0)
      assert.ok(before.length > 5 && sum > 50_000 && sum <= 130_000, `${sum} bytes: ${before.join(' ')}`)
    })
  }

  test('say what happens to them while it happens, and not what they still are', async () => {
    const { page, api, world, visit } = await open({ runActions: false })
    const { id } = (await api.post('/servers', { name: 'web', server_type: 'cx23', image: 'debian-13' })).body.server
    await world.settle()
    // The action goes on until the world settles.
    for (const [act, doing] of [
      ['shutdown', 'Stopping'],
      ['poweron', 'Starting'],
      ['change_protection', 'Running'],
      ['create_image', 'Changing'],
    ] as const) {
      const body = act === 'change_protection' ? { delete: false, rebuild: false } : {}
      const { status } = await api.post(`/servers/${id}/actions/${act}`, body)
      assert.equal(status, 201, act)
      await visit('P/servers')
      await expect(page.locator(`tr[data-row="${id}"]`)).toContainText(doing)
      await expect(page.locator(`tr[data-row="${id}"]`)).not.toContainText(/(Off|Running)\s*\d/)
      await world.settle()
    }
  })

  test('are listed by a label of a link, with their firewalls, for two requests in all', async () => {
    const console = await open({ width: 1440 })
    await someServers(console)
    const { page, api, project } = console
    // What changed meanwhile is asked for again with the same request.
    const asked = new Set<string>()
    page.on('request', (request) => {
      const [, path] = /\/v1\/((?:servers|firewalls).*)/.exec(request.url()) ?? []
      if (path && request.url().includes(`/projects/${project}/`)) asked.add(path)
    })
    await console.visit('P/servers?label=env%3Dprod')
    const rows = page.getByRole('table').getByRole('row')
    await expect(rows).toHaveCount(3)
    await expect(page.getByRole('searchbox')).toHaveValue('env=prod')
    const [firewall] = (await api.get('/firewalls')).body.firewalls
    const link = rows.nth(1).getByRole('link', { name: 'web', exact: true })
    await expect(link).toHaveAttribute('href', `/console/projects/${project}/firewalls/${firewall.id}`)
    assert.deepEqual([...asked].map((path) => path.replace(/\?.*/, '')).toSorted(), ['firewalls', 'servers'])
    // What is typed takes the place of what the link said.
    await page.getByRole('searchbox').fill('db-')
    await expect(rows).toHaveCount(2)
    await expect(rows.nth(1).getByRole('link')).toHaveCount(1)
  })

  test('are reset and powered off after a question, where their state allows it', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers')
    const { page, api, world } = console
    const { id } = (await api.get('/servers?name=web-1')).body.servers[0]
    const commands = async () =>
      (await api.get(`/servers/${id}/actions`)).body.actions.map(({ command }: { command: string }) => command)
    await choose(page, 'web-1', 'Reset')
    await confirm(page, 'Reset web-1?', 'Leave it on')
    assert.ok(!(await commands()).includes('reset_server'))
    await choose(page, 'web-1', 'Reset')
    await expect(page.getByRole('dialog').getByRole('tabpanel')).toContainText(`hcloud server reset ${id}`)
    await confirm(page, 'Reset web-1?', 'Reset')
    await expect.poll(commands).toContain('reset_server')
    await world.settle()
    await expect(page.getByRole('row', { name: /web-1/ })).toContainText('Running')
    await choose(page, 'web-1', 'Power off')
    await confirm(page, 'Power off web-1?', 'Power off')
    await world.settle()
    await expect(page.getByRole('row', { name: /web-1/ })).toContainText('Off')
    await act(page, 'Actions for web-1')
    await expect(page.getByRole('menuitem', { name: 'Reset' })).toHaveAccessibleDescription(/is off/)
  })

  test('are interrupted only after a question, wherever they are told to', async () => {
    const console = await open()
    await someServers(console)
    const { page, api, world } = console
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    const dialog = page.getByRole('dialog')
    const leave = async (title: RegExp, text: string | RegExp) => {
      await expect(page.getByRole('dialog', { name: title })).toContainText(text)
      await press(page, 'Escape')
      await expect(dialog).toBeHidden()
    }
    // Its menu, and its page.
    await console.visit('P/servers')
    for (const entry of ['Shut down', 'Reboot', 'Power off', 'Reset']) {
      await choose(page, 'web-1', entry)
      await leave(new RegExp(`^${entry} web-1\\?$`), 'Leave it on')
    }
    await console.visit(await pathOf(console, 'web-1'))
    await act(page, 'Shut down')
    await leave(/^Shut down web-1\?$/, 'Leave it on')
    // A selection, of which one is off; the palette has the same acts.
    await console.visit('P/servers')
    await tabTo(page, 'checkbox', /Select all/)
    await press(page, 'Space')
    await act(page, 'Reboot')
    await leave(/^Reboot web-1, web-2, and db-1\?$/, 'Reboot 3 servers')
    await press(page, 'Control+k')
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill('Shut down')
    await expect(page.getByRole('option')).toHaveText([/^Shut down/])
    await press(page, 'Enter')
    const question = page.getByRole('dialog', { name: 'Shut down web-1, web-2, and db-1?' })
    await expect(question).toContainText('Nothing changes for build-1')
    assert.deepEqual(sent, [])
    await confirm(page, 'Shut down web-1, web-2, and db-1?', 'Shut down 3 servers', false)
    await expect(dialog.getByRole('listitem').filter({ hasText: 'build-1' })).toContainText('is off')
    await world.settle()
    const { servers } = (await api.get('/servers')).body
    assert.deepEqual([...new Set(servers.map(({ status }: { status: string }) => status))], ['off'])
  })

  test('are shown with the columns that the reader chose, and taken along as a table', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers?q=role%3Dweb')
    const { page } = console
    const heads = page.getByRole('columnheader')
    await expect(heads.filter({ hasText: 'Image' })).toHaveCount(1)
    await tabTo(page, 'button', 'Columns')
    await press(page, 'Enter')
    await tabTo(page, 'checkbox', 'Image')
    await press(page, 'Space', 'Escape')
    await expect(heads.filter({ hasText: 'Image' })).toHaveCount(0)
    await page.reload()
    await expect(heads.filter({ hasText: 'Type' })).toHaveCount(1)
    await expect(heads.filter({ hasText: 'Image' })).toHaveCount(0)
    await tabTo(page, 'button', 'Export as CSV')
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Enter')])
    assert.equal(download.suggestedFilename(), 'servers.csv')
    const [titles = '', ...lines] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    const at = (name: string) => titles.split(',').indexOf(name)
    assert.deepEqual(
      lines.map((line) => [line.split(',')[at('name')], line.split(',')[at('server_type')]]),
      [
        ['web-1', 'cx23'],
        ['web-2', 'cx23'],
      ],
    )
    await tabTo(page, 'button', 'Columns')
    await press(page, 'Enter')
    await tabTo(page, 'button', 'Show all columns')
    await press(page, 'Enter', 'Escape')
    await expect(heads.filter({ hasText: 'Image' })).toHaveCount(1)
  })

  test('have links like those of any page: asked for when pointed at, and opened beside it with a modifier', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers')
    const { page, context, project } = console
    const link = page.getByRole('link', { name: 'web-1' })
    const detail = (await pathOf(console, 'web-1')).replace('P', `/console/projects/${project}`)
    await expect(link).toHaveAttribute('href', detail)
    const asked = page.waitForRequest((request) => /\/v1\/servers\/\d+$/.test(request.url()))
    await link.hover()
    await asked
    const beside = context.waitForEvent('page')
    await link.click({ modifiers: ['ControlOrMeta'] })
    await expect((await beside).getByRole('heading', { level: 1 })).toHaveText('web-1')
    await expect(page).toHaveURL(/\/servers$/)
    await tabTo(page, 'link', 'web-1')
    await press(page, 'Enter')
    await expect(page).toHaveURL(new RegExp(`${detail}$`))
  })

  test('are acted on together, with what came of each', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers')
    const { page, api, world } = console
    const bar = page.getByRole('toolbar', { name: 'Selected servers' })
    const dialog = page.getByRole('dialog')
    await tabTo(page, 'checkbox', /Select all/)
    await press(page, 'Space')
    await expect(bar).toContainText('4 selected')
    await tabTo(page, 'button', 'Power on')
    await press(page, 'Enter')
    await expect(dialog.getByRole('listitem').filter({ hasText: 'build-1' })).toContainText('done')
    await expect(dialog.getByRole('listitem').filter({ hasText: 'web-1' })).toContainText('is on')
    await press(page, 'Escape')
    await world.settle()
    assert.equal((await api.get('/servers?name=build-1')).body.servers[0].status, 'running')
    await tabTo(page, 'button', 'Firewall')
    await press(page, 'Enter')
    await expect(dialog).toContainText('Firewall of')
    await tabTo(page, 'combobox', 'Firewall')
    await page.keyboard.type('web')
    await expect(dialog).toContainText('Nothing changes for web-1 and web-2')
    await tabTo(page, 'tab', 'hcloud')
    await expect(dialog.getByRole('tabpanel')).toContainText('hcloud firewall apply-to-resource')
    await press(page, 'ArrowRight', 'ArrowRight')
    await expect(dialog.getByRole('tabpanel')).toContainText('hcloud_firewall_attachment')
    await tabTo(page, 'button', 'Apply to 2 servers')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await world.settle()
    const { firewalls } = (await api.get('/firewalls')).body
    assert.equal(firewalls[0].applied_to.length, 4)
    await tabTo(page, 'button', 'Delete')
    await press(page, 'Enter')
    await tabTo(page, 'textbox', /Type 4 servers/)
    await page.keyboard.type('4 servers')
    await press(page, 'Enter')
    await expect(dialog.getByRole('listitem').filter({ hasText: 'db-1' })).toContainText('is protected')
    await press(page, 'Escape')
    await world.settle()
    const { servers } = (await api.get('/servers')).body
    assert.deepEqual(
      servers.map(({ name }: { name: string }) => name),
      ['db-1'],
    )
  })

  test('are created with what the form says, and appear in the list', async () => {
    const console = await open()
    await console.visit('P/servers')
    const { page, api, world } = console
    await press(page, 'c')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create server')
    await tabTo(page, 'radio', /fsn1/)
    await press(page, 'ArrowRight')
    await expect(page.getByRole('radio', { name: /nbg1/ })).toBeChecked()
    await tabTo(page, 'textbox', 'Name')
    await press(page, 'Control+a')
    await page.keyboard.type('web-{1..2}')
    await tabTo(page, 'textbox', 'Labels')
    await page.keyboard.type('role=web')
    await press(page, 'Enter')
    await expect(page.getByText('€').first()).toBeVisible()
    await tabTo(page, 'button', 'Create 2 servers')
    await press(page, 'Enter')
    const dialog = page.getByRole('dialog', { name: 'The root passwords' })
    await expect(dialog).toBeVisible()
    await press(page, 'Escape')
    await expect(dialog).toBeVisible()
    await tabTo(page, 'checkbox', 'I have stored them')
    await press(page, 'Space')
    await tabTo(page, 'button', 'Done')
    await press(page, 'Enter')
    await expect(page.getByRole('link', { name: 'web-2' })).toBeVisible()
    await world.settle()
    const { servers } = (await api.get('/servers')).body
    assert.deepEqual(
      servers.map((one: { name: string; labels: object; location: { name: string } }) => [
        one.name,
        one.labels,
        one.location.name,
      ]),
      [
        ['web-1', { role: 'web' }, 'nbg1'],
        ['web-2', { role: 'web' }, 'nbg1'],
      ],
    )
  })

  test('are deleted after their name was typed, and the focus comes back', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/servers')
    const { page, api, world } = console
    const link = page.getByRole('link', { name: 'web-1' })
    await tabTo(page, 'link', 'web-1')
    await press(page, '.')
    const item = page.getByRole('menuitem', { name: 'Delete' })
    await item.waitFor()
    await press(page, 'Escape')
    await expect(page.getByRole('menu')).toBeHidden()
    await expect(page.getByRole('button', { name: 'Actions for web-1' })).toBeFocused()
    await press(page, '.')
    await take(page, 'Delete')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Delete web-1?')
    await press(page, 'Escape')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Actions for web-1' })).toBeFocused()
    await press(page, '.')
    await take(page, 'Delete')
    await tabTo(page, 'textbox', /Type web-1/)
    await page.keyboard.type('web-1')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await world.settle()
    await expect(link).toHaveCount(0)
    // What had the focus is gone as well.
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    assert.deepEqual((await api.get('/servers?name=web-1')).body.servers, [])
  })

  test('show to viewers what they may not do, with the reason', async () => {
    const console = await open({ role: 'viewer' })
    await someServers(console)
    await console.visit('P/servers')
    const { page } = console
    const create = page.getByRole('button', { name: 'Create server' })
    await expect(create).toHaveAttribute('aria-disabled', 'true')
    await expect(create).toHaveAccessibleDescription(/needs the role Member/)
    await tabTo(page, 'link', 'web-1')
    await press(page, '.')
    await expect(page.getByRole('menuitem', { name: 'Reboot' })).toHaveAttribute('aria-disabled', 'true')
  })

  test('that are deleted elsewhere say so on their open page', async () => {
    const console = await open()
    await someServers(console)
    const path = await pathOf(console, 'web-2')
    await console.visit(path)
    const { page, api, world } = console
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('web-2')
    await api.delete(path.replace('P', ''))
    await world.settle()
    await expect(page.getByText('was deleted elsewhere')).toBeVisible()
  })

  test('that do not exist are a page of their own kind', async () => {
    const console = await open()
    await console.visit('P/servers/1')
    await expect(console.page.getByRole('heading', { level: 1 })).toHaveText('There is nothing here')
  })
})

drivesWhatIsSaid(import.meta.filename)
