/** The pages of Storage Boxes but for their files, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { testClock } from '../../kit/harness.ts'
import { boxOf, openBox, partsOf, visitBox } from '../kit/boxes.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, confirmByName, fill, protect, rename } from '../kit/keyboard.ts'
import { publicKey, someKeys } from '../states/resources.ts'
import { boxPassword, someBoxes } from '../states/storage.ts'

/** Reads the password that a dialog shows once, and closes it by saying that it is stored. */
async function store(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: `The password of ${name}` })
  const password = await dialog.locator('code').innerText()
  await press(page, 'Escape')
  await expect(dialog).toBeVisible()
  await tabTo(page, 'checkbox', 'I have stored it')
  await press(page, 'Space')
  await act(page, 'Done')
  await expect(dialog).toBeHidden()
  return password
}

forConsole('Storage Boxes in the console', (open) => {
  test('are created with a password that is shown once, renamed, protected and deleted', async () => {
    const console = await open()
    await someKeys(console)
    await console.visit('P/storage-boxes')
    const { page, world } = console
    await press(page, 'c')
    await tabTo(page, 'checkbox', /^jana@laptop|^laptop/)
    await press(page, 'Space')
    await fill(page, 'Name', 'archive')
    await act(page, 'Create Storage Box')
    const password = await store(page, 'archive')
    assert.match(password, /^[\w.+=-]{24}$/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('archive')
    await world.settle()
    const { access_settings: access, username } = await boxOf(console, 'archive')
    assert.deepEqual([access.ssh_enabled, access.webdav_enabled], [true, false])
    const [account] = world.simulation.world.storageBoxes.get(Number(username.slice(1)))!.state.accounts
    assert.deepEqual(account!.keys, [publicKey])
    await console.visit('P/storage-boxes')
    await rename(page, 'archive', 'attic')
    await protect(page, 'attic', async () => (await boxOf(console, 'attic')).protection.delete)
    await choose(page, 'attic', 'Delete')
    await confirmByName(page, 'attic')
    await world.settle()
    assert.equal(await boxOf(console, 'attic'), undefined)
  })

  test('show what they took over time, and say so where nothing was measured yet', async () => {
    const console = await open({ clock: testClock() })
    await someBoxes(console)
    await console.page.clock.setFixedTime(console.world.clock.now())
    await visitBox(console, '', 'closed')
    const { page, world } = console
    const history = page.getByRole('region', { name: 'Usage over time' })
    await expect(history).toContainText('Nothing was measured in this time yet')
    await world.app.jobs.run()
    world.clock.advance(8 * 3_600_000)
    await page.clock.setFixedTime(world.clock.now())
    await visitBox(console, '', 'closed')
    await expect(history.getByRole('img', { name: /Usage over time.*Files: 0 B now/ })).toBeVisible()
    await act(page, 'Last week')
    await expect(history).toContainText('Snapshots: 0 B now, 0 B at most.')
  })

  test('say while a password is typed what it lacks', async () => {
    const console = await open()
    await console.visit('P/storage-boxes/new')
    const { page } = console
    await fill(page, 'Password', 'all-small-letters-1')
    const field = page.getByRole('textbox', { name: 'Password' })
    await expect(field).toHaveAccessibleDescription(/upper-case letter/)
    await expect(page.getByRole('button', { name: 'Create Storage Box' })).toHaveAccessibleDescription(/policy/)
    await act(page, 'Generate')
    await expect(page.getByText('Fits the policy with 24 characters.')).toBeVisible()
  })

  test('say by its line which key is wrong, where the form is sent from', async () => {
    const console = await open()
    await someKeys(console)
    await console.visit('P/storage-boxes/new')
    const { page } = console
    console.allow(/Failed to load resource/)
    await tabTo(page, 'checkbox', 'laptop')
    await press(page, 'Space')
    await tabTo(page, 'textbox', 'More public keys')
    await page.keyboard.type('ssh-rsa nonsense')
    await act(page, 'Create Storage Box')
    const field = page.getByRole('textbox', { name: 'More public keys' })
    await expect(field).toHaveAccessibleDescription(/^Line 1 is not a valid ssh-rsa key\./)
    await expect(field).toBeFocused()
  })

  test('get another type, another password and other access settings', async () => {
    const console = await openBox(open)
    const { page, world } = console
    await act(page, 'Change type')
    await tabTo(page, 'combobox', 'Type')
    await page.keyboard.type('bx21')
    await confirm(page, 'Change the type of backups', 'Change type')
    await world.settle()
    await act(page, 'Set a new password')
    await confirm(page, 'Set a new password for backups', 'Set a new password')
    assert.notEqual(await store(page, 'backups'), boxPassword)
    await world.settle()
    await visitBox(console, '/access')
    await tabTo(page, 'checkbox', /^WebDAV/)
    await press(page, 'Space')
    await act(page, 'Save the settings')
    await expect.poll(async () => (await boxOf(console)).access_settings.webdav_enabled).toBe(false)
    await world.settle()
    assert.equal((await boxOf(console)).storage_box_type.name, 'bx21')
  })

  test('say how each program gets in with each account', async () => {
    const console = await openBox(open, '/access')
    const { page } = console
    const { username, server } = await boxOf(console)
    await expect(page.getByText(`sftp -P 23 ${username}@${server}`)).toBeVisible()
    for (const client of ['rsync', 'borg', 'restic', 'sshfs', 'curl', 'davfs2'])
      await expect(page.getByRole('region', { name: client })).toContainText(username)
    await tabTo(page, 'combobox', 'Account')
    await page.keyboard.type(`${username}-sub1`)
    await expect(page.getByText(`sftp -P 23 ${username}-sub1@${username}-sub1.`)).toBeVisible()
    await expect(page.getByText('This account gets in only from networks of this installation')).toBeVisible()
    await expect(page.getByText('no such door open').first()).toBeVisible()
  })
})

forConsole('snapshots of Storage Boxes in the console', (open) => {
  test('are made, described, rolled back to and deleted', async () => {
    const console = await openBox(open, '/snapshots')
    const { page, world } = console
    await act(page, 'Make snapshot')
    await fill(page, 'Description', 'the third')
    await confirm(page, 'Make a snapshot of backups', 'Make snapshot')
    await world.settle()
    await expect(page.getByRole('row', { name: /the third/ })).toBeVisible()
    const [first, second, third] = await partsOf(console, 'snapshots')
    await choose(page, second.name, 'Description and labels')
    await fill(page, 'Description', 'the second')
    await confirm(page, `Describe the snapshot ${second.name}`, 'Save')
    await expect(page.getByRole('row', { name: /the second/ })).toBeVisible()
    await choose(page, second.name, 'Roll back to it')
    const dialog = page.getByRole('dialog', { name: `Roll backups back to ${second.name}?` })
    await expect(dialog).toContainText(`1 newer snapshot is lost as well: ${third.name}.`)
    await fill(page, /Type backups/, 'backups')
    await press(page, 'Enter')
    await expect(dialog).toBeHidden()
    await world.settle()
    await expect(page.getByRole('row', { name: /the third/ })).toHaveCount(0)
    await choose(page, first.name, 'Delete')
    await confirm(page, `Delete the snapshot ${first.name}?`, 'Delete snapshot')
    await world.settle()
    const left = await partsOf(console, 'snapshots')
    assert.deepEqual(
      left.map(({ description }: { description: string }) => description),
      ['the second'],
    )
  })

  test('are made by a plan, which is changed and disabled', async () => {
    const console = await openBox(open, '/snapshots')
    const { page, world } = console
    await expect(page.getByText('Every Monday at 03:30 UTC, 7 at most')).toBeVisible()
    await act(page, 'Change the plan')
    await act(page, 'Every day')
    await fill(page, 'Keeps at most', '3')
    await confirm(page, 'Change the plan: backups', 'Change the plan')
    await world.settle()
    await expect(page.getByText('Every day at 03:30 UTC, 3 at most')).toBeVisible()
    const { snapshot_plan: plan } = await boxOf(console)
    assert.deepEqual([plan.day_of_week, plan.max_snapshots], [null, 3])
    await act(page, 'Disable the plan')
    await confirm(page, 'Disable the snapshot plan of backups?', 'Disable the plan')
    await world.settle()
    await expect(page.getByText('Nothing makes snapshots by itself.')).toBeVisible()
    assert.equal((await boxOf(console)).snapshot_plan, null)
  })
})

forConsole('plans of snapshots of Storage Boxes in the console', (open) => {
  test('keep their day of the week and of the month when something else is changed', async () => {
    const console = await open()
    await someBoxes(console)
    const { page, api, world } = console
    const { id } = await boxOf(console)
    const plan = { max_snapshots: 7, minute: 30, hour: 3, day_of_week: 5, day_of_month: 13 }
    await api.post(`/storage_boxes/${id}/actions/enable_snapshot_plan`, plan)
    await world.settle()
    const planNow = async () => (await boxOf(console)).snapshot_plan
    await visitBox(console, '/snapshots')
    await expect(page.getByText('On day 13 of every month that is a Friday at 03:30 UTC, 7 at most')).toBeVisible()
    await act(page, 'Change the plan')
    await fill(page, 'Keeps at most', '3')
    await confirm(page, 'Change the plan: backups', 'Change the plan')
    await world.settle()
    assert.deepEqual(await planNow(), { ...plan, max_snapshots: 3 })
    await expect(page.getByText('03:30 UTC, 3 at most')).toBeVisible()
    await act(page, 'Change the plan')
    await tabTo(page, 'combobox', 'Only on a')
    await page.keyboard.type('Any')
    await confirm(page, 'Change the plan: backups', 'Change the plan')
    await world.settle()
    assert.deepEqual(await planNow(), { ...plan, max_snapshots: 3, day_of_week: null })
    await expect(page.getByText('On day 13 of every month at 03:30 UTC, 3 at most')).toBeVisible()
  })
})

forConsole('subaccounts of Storage Boxes in the console', (open) => {
  test('are created, described, moved, locked out and deleted', async () => {
    const console = await openBox(open, '/subaccounts')
    const { page, world } = console
    const last = async () => (await partsOf(console, 'subaccounts')).at(-1)
    await act(page, 'Create subaccount')
    await fill(page, 'Folder', 'team/ops')
    await fill(page, 'Name', 'ops')
    await confirm(page, 'Create a subaccount of backups', 'Create subaccount')
    await store(page, 'ops')
    await world.settle()
    await choose(page, 'ops', 'Name, description and labels')
    await fill(page, 'Description', 'for the others')
    await confirm(page, 'Describe ops', 'Save')
    await expect(page.getByRole('row', { name: /for the others/ })).toBeVisible()
    await choose(page, 'ops', 'Change the folder')
    await fill(page, 'Folder', 'ops')
    await confirm(page, 'Change the folder of ops', 'Change the folder')
    await world.settle()
    await choose(page, 'ops', 'Change access')
    await tabTo(page, 'checkbox', /^Read only/)
    await press(page, 'Space')
    await confirm(page, 'Change how ops gets in', 'Change access')
    await world.settle()
    await choose(page, 'ops', 'Set a new password')
    await confirm(page, 'Set a new password for ops', 'Set a new password')
    await store(page, (await last()).username)
    await world.settle()
    const { name, description, home_directory: home, access_settings: access } = await last()
    assert.deepEqual([name, description, home, access.readonly], ['ops', 'for the others', 'ops', true])
    await choose(page, 'ops', 'Delete')
    await confirm(page, 'Delete the subaccount ops?', 'Delete subaccount')
    await world.settle()
    assert.equal((await last()).name, 'mail')
  })
})

drivesWhatIsSaid(import.meta.filename)
