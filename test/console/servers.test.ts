/** The pages of servers, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect, forConsole, press, tabTo } from './harness.ts'
import { pathOf, someServers } from './states/servers.ts'

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
    await page.getByRole('searchbox').fill('db-')
    await expect(rows).toHaveCount(2)
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
    await tabTo(page, 'button', 'Close')
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
    await page.getByRole('link', { name: 'web-1' }).focus()
    await press(page, '.')
    const item = page.getByRole('menuitem', { name: 'Delete' })
    await item.waitFor()
    await press(page, 'End', 'Enter')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Delete web-1?')
    await press(page, 'Escape')
    await expect(dialog).toBeHidden()
    await page.getByRole('link', { name: 'web-1' }).focus()
    await press(page, '.')
    await item.waitFor()
    await press(page, 'End', 'Enter')
    await tabTo(page, 'textbox', /Type web-1/)
    await page.keyboard.type('web-1')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await world.settle()
    await expect(page.getByRole('link', { name: 'web-1' })).toHaveCount(0)
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
    await page.getByRole('link', { name: 'web-1' }).focus()
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
    await expect(page.getByText('was deleted elsewhere')).toBeVisible({ timeout: 15_000 })
  })

  test('that do not exist are a page of their own kind', async () => {
    const console = await open()
    await console.visit('P/servers/1')
    await expect(console.page.getByRole('heading', { level: 1 })).toHaveText('There is nothing here')
  })
})
