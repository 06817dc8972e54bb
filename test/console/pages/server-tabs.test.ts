/** The tabs of a server that change its networking, its backups and its machine, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, confirmByName, fill } from '../kit/keyboard.ts'
import { someTabs } from '../states/server-tabs.ts'
import { pathOf } from '../states/servers.ts'

/** Opens a tab of a server. */
async function openTab(console: Console, name: string, tab: string): Promise<void> {
  await someTabs(console)
  await console.visit(await pathOf(console, name, `/${tab}`))
}

async function serverOf({ api }: Console, name: string) {
  return (await api.get(`/servers?name=${name}`)).body.servers[0]
}

/** Reads a secret that is shown once, says that it is stored, and closes. */
async function readPassword(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'The root password' })
  await expect(dialog).toBeVisible()
  const secret = (await dialog.locator('code').first().textContent()) ?? ''
  await press(page, 'Escape')
  await expect(dialog).toBeVisible()
  await tabTo(page, 'checkbox', 'I have stored it')
  await press(page, 'Space')
  await act(page, 'Done')
  await expect(dialog).toBeHidden()
  return secret
}

forConsole('the networking of a server in the console', (open) => {
  test('shows its addresses, names them, and says who can reach it', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'networking')
    const { page, world } = console
    const { ip } = (await serverOf(console, 'web-1')).public_net.ipv4
    await expect(page.getByRole('link', { name: 'www', exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'web', exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Effective rules' })).toBeVisible()
    const tabs = page.getByRole('navigation', { name: 'Parts of the server' })
    await expect(tabs.locator('[aria-current]')).toHaveText(['Networking'])
    await act(page, `Change the reverse name of ${ip}`)
    await fill(page, 'Host name', 'web-1.nordlicht.example')
    await confirm(page, `Reverse name of ${ip}`, 'Set the name')
    await world.settle()
    await expect(page.getByText('web-1.nordlicht.example')).toBeVisible()
    assert.equal((await serverOf(console, 'web-1')).public_net.ipv4.dns_ptr, 'web-1.nordlicht.example')
  })

  test('attaches to and detaches from private networks', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'networking')
    const { page, world } = console
    await act(page, 'Attach to a network')
    await fill(page, 'Address', '10.1.1.7')
    await confirm(page, 'Attach web-1 to a network', 'Attach to a network')
    await world.settle()
    await expect(page.getByText('10.1.1.7', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Attach to a network' })).toHaveAccessibleDescription(
      'it is in every network of the Project',
    )
    await act(page, 'Detach from internal')
    await confirm(page, 'Detach web-1 from internal?', 'Detach the server')
    await world.settle()
    await expect(page.getByRole('link', { name: 'internal' })).toHaveCount(0)
    const { private_net: nets } = await serverOf(console, 'web-1')
    assert.deepEqual(
      nets.map(({ ip }: { ip: string }) => ip),
      ['10.1.1.7'],
    )
  })
})

forConsole('the backups of a server in the console', (open) => {
  test('are turned on, and off after its name was typed', async () => {
    const console = await open()
    await openTab(console, 'off-1', 'backups')
    const { page, world } = console
    await expect(page.getByText(/^20\s?% of the type/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Take backup' })).toHaveAccessibleDescription('backups are off')
    await act(page, 'Turn backups on')
    await confirm(page, 'Turn the backups of off-1 on?', 'Turn backups on')
    await world.settle()
    assert.notEqual((await serverOf(console, 'off-1')).backup_window, null)
    await expect(page.getByRole('button', { name: 'Turn backups off' })).not.toHaveAttribute('aria-disabled')
    await act(page, 'Turn backups off')
    const dialog = page.getByRole('dialog', { name: 'Turn the backups of off-1 off?' })
    await expect(dialog.getByRole('button', { name: 'Turn backups off' })).toBeDisabled()
    await fill(page, /Type off-1/, 'off-1')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await world.settle()
    assert.equal((await serverOf(console, 'off-1')).backup_window, null)
  })

  test('and its snapshots are listed, made, kept and deleted', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'backups')
    const { page, api, world } = console
    await expect(page.getByRole('row')).toHaveCount(3)
    await act(page, 'Take snapshot')
    await fill(page, 'Description', 'nightly')
    await confirm(page, 'Take a snapshot of web-1', 'Take snapshot')
    await world.settle()
    const row = page.getByRole('row').filter({ hasText: 'nightly' })
    await expect(row).toContainText('Ready')
    await choose(page, 'nightly', 'Delete')
    await confirmByName(page, 'nightly')
    await expect(row).toHaveCount(0)
    const [backup] = (await api.get('/images?type=backup')).body.images
    const label = backup.description || `#${backup.id}`
    await choose(page, label, 'Keep as a snapshot')
    await confirm(page, `Keep ${label} as a snapshot?`, 'Keep as a snapshot')
    await world.settle()
    await expect(page.getByRole('row').filter({ hasText: label })).toContainText('Snapshot')
    const { images } = (await api.get('/images?type=snapshot')).body
    assert.deepEqual(
      images.map(({ description }: { description: string }) => description).sort(),
      ['before the upgrade', backup.description].sort(),
    )
  })

  test('become a server, or the disk of this one', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'backups')
    const { page, api, world } = console
    const [snapshot] = (await api.get('/images?type=snapshot')).body.images
    await choose(page, 'before the upgrade', 'Rebuild this server from it')
    await fill(page, /Type web-1/, 'web-1')
    await press(page, 'Enter')
    assert.notEqual(await readPassword(page), '')
    await world.settle()
    assert.equal((await serverOf(console, 'web-1')).image.id, snapshot.id)
    await choose(page, 'before the upgrade', 'Create a server from it')
    await expect(page).toHaveURL(new RegExp(`servers/new\\?image=.*${snapshot.id}`))
  })
})

forConsole('the machine of a server in the console', (open) => {
  test('gets another type while it is off', async () => {
    const console = await open()
    await openTab(console, 'off-1', 'change')
    const { page, world } = console
    const rescale = page.getByRole('button', { name: 'Rescale', exact: true })
    await expect(rescale).toHaveAccessibleDescription('Choose a type.')
    await expect(page.getByRole('row', { name: /^cx23/ })).toContainText('The server has this type.')
    await expect(page.getByRole('radio', { name: 'cx23', exact: true })).toBeDisabled()
    const type = await page.locator('input[name=type]:enabled').first().getAttribute('aria-label')
    await tabTo(page, 'radio', new RegExp(`^${type}$`))
    await press(page, 'Space')
    await act(page, `Rescale to ${type}`)
    await confirm(page, `Rescale off-1 to ${type}?`, `Rescale to ${type}`)
    await world.settle()
    const server = await serverOf(console, 'off-1')
    assert.deepEqual([server.server_type.name, server.primary_disk_size], [type, 40])
  })

  test('is rebuilt after its name was typed', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'change')
    const { page, world } = console
    await expect(page.getByRole('button', { name: 'Rescale', exact: true })).toHaveAccessibleDescription(
      'Power it off first.',
    )
    await tabTo(page, 'combobox', 'Image')
    await page.keyboard.type('ubuntu 24')
    const button = page.getByRole('button', { name: /^Rebuild with ubuntu-24/ })
    await expect(button).toBeVisible()
    await act(page, (await button.textContent()) ?? '')
    await fill(page, /Type web-1/, 'web-1')
    await press(page, 'Enter')
    assert.notEqual(await readPassword(page), '')
    await world.settle()
    assert.match((await serverOf(console, 'web-1')).image.name, /^ubuntu-24/)
  })

  test('goes to the rescue system, with keys, and back', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'change')
    const { page, world } = console
    await act(page, 'Enable rescue')
    await tabTo(page, 'checkbox', 'laptop')
    await press(page, 'Space')
    await expect(page.getByRole('dialog').getByText(/--ssh-key/)).toBeVisible()
    await confirm(page, 'Enable rescue for web-1', 'Enable rescue')
    assert.notEqual(await readPassword(page), '')
    await world.settle()
    assert.equal((await serverOf(console, 'web-1')).rescue_enabled, true)
    const disable = page.getByRole('button', { name: 'Disable rescue' })
    await expect(disable).not.toHaveAttribute('aria-disabled')
    await act(page, 'Disable rescue')
    await confirm(page, 'Disable rescue for web-1?', 'Disable rescue')
    await world.settle()
    assert.equal((await serverOf(console, 'web-1')).rescue_enabled, false)
  })

  test('gets a root password, an ISO and a console', async () => {
    const console = await open()
    await openTab(console, 'web-1', 'change')
    const { page, world } = console
    await act(page, 'Set a new root password')
    await confirm(page, 'Set a new root password for web-1?', 'Set a new root password')
    assert.notEqual(await readPassword(page), '')
    await world.settle()
    const attach = page.getByRole('button', { name: 'Attach ISO' })
    await expect(attach).toHaveAccessibleDescription('Choose an ISO.')
    await tabTo(page, 'combobox', 'Attach ISO')
    await press(page, 'ArrowDown')
    await act(page, 'Attach ISO')
    const title = (await page.getByRole('dialog').getByRole('heading').textContent()) ?? ''
    await confirm(page, title, 'Attach ISO')
    await world.settle()
    assert.equal(title, `Attach ${(await serverOf(console, 'web-1')).iso.name} to web-1?`)
    const detach = page.getByRole('button', { name: 'Detach ISO' })
    await expect(detach).not.toHaveAttribute('aria-disabled')
    await act(page, 'Detach ISO')
    await confirm(page, 'Detach the ISO of web-1?', 'Detach ISO')
    await world.settle()
    assert.equal((await serverOf(console, 'web-1')).iso, null)
    await act(page, 'Ask for a console')
    await confirm(page, 'The console of web-1', 'Ask for a console', false)
    await expect(page.getByRole('dialog').getByText(/^ws:\/\//)).toBeVisible()
  })

  test('goes into a placement group while it is off, and comes out of it on the page of the group', async () => {
    const console = await open()
    const { page, world, api } = console
    await api.post('/placement_groups', { name: 'apart', type: 'spread' })
    await openTab(console, 'web-1', 'change')
    const add = page.getByRole('button', { name: 'Add to a placement group' })
    await expect(add).toHaveAccessibleDescription('Power it off first.')
    await console.visit(await pathOf(console, 'off-1', '/change'))
    await act(page, 'Add to a placement group')
    const dialog = page.getByRole('dialog', { name: 'Add off-1 to a placement group' })
    await tabTo(page, 'combobox', 'Placement group')
    await page.keyboard.type('apart')
    await expect(dialog).toContainText(/hcloud server add-to-placement-group .*--placement-group/)
    await confirm(page, 'Add off-1 to a placement group', 'Add and start')
    await world.settle()
    await expect(page.getByRole('button', { name: 'Take out of the placement group' })).toBeVisible()
    const { status, placement_group: group } = await serverOf(console, 'off-1')
    assert.deepEqual([status, group.name], ['running', 'apart'])
    await console.visit('P/placement-groups')
    await choose(page, 'apart', 'Take a server out')
    await expect(page.getByRole('dialog')).toContainText('hcloud server remove-from-placement-group')
    await confirm(page, 'Take a server out of apart', 'Take it out')
    await expect(page.getByRole('row', { name: /apart/ })).toContainText('0 of 10')
    assert.equal((await serverOf(console, 'off-1')).placement_group, null)
    await api.post(`/servers/${(await serverOf(console, 'off-1')).id}/actions/poweroff`)
    await world.settle()
    await choose(page, 'apart', 'Add a server')
    await tabTo(page, 'combobox', 'Server')
    await expect(page.getByRole('option', { name: 'off-1', exact: true })).toBeEnabled()
    await expect(page.getByRole('option', { name: 'web-1: power it off first' })).toBeDisabled()
    await page.keyboard.type('off-1')
    await confirm(page, 'Add a server to apart', 'Add and start')
    await world.settle()
    assert.equal((await serverOf(console, 'off-1')).placement_group.name, 'apart')
  })

  test('may be looked at by viewers, who see what role they lack', async () => {
    const console = await open({ role: 'viewer' })
    await openTab(console, 'web-1', 'change')
    const { page } = console
    for (const name of ['Rescale', 'Rebuild with debian-12', 'Enable rescue', 'Set a new root password']) {
      const button = page.getByRole('button', { name, exact: true })
      await expect(button).toHaveAttribute('aria-disabled', 'true')
      await expect(button).toHaveAccessibleDescription(/needs the role/)
    }
  })
})

drivesWhatIsSaid(import.meta.filename)
