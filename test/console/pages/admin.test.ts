/** The page of all Projects and the pages about the installation, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createProject, findProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { createPerson } from '../../../src/people/person-store.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { choose } from '../kit/keyboard.ts'
import { effective, someMail } from '../states/admin.ts'
import { someServers } from '../states/servers.ts'

/** Opens one of the pages about the installation by its tab. */
async function go(page: Page, tab: string): Promise<void> {
  await tabTo(page, 'link', tab)
  await press(page, 'Enter')
}

forConsole('the console of installation admins', (open) => {
  test('a person is created with a link that is shown once, administers, is disabled and let in again', async () => {
    const { page, visit, world } = await open({ isOperator: true, isAlone: true })
    await visit('/admin/people')
    await press(page, 'c')
    await expect(page.getByRole('textbox', { name: 'Mail address' })).toBeFocused()
    await page.keyboard.type('eva@nordlicht.example')
    await press(page, 'Enter')
    const made = page.getByRole('dialog', { name: 'eva@nordlicht.example can come in' })
    await expect(made.locator('code')).toContainText('/console/reset#')
    await press(page, 'Escape')
    await expect(made).toBeVisible()
    await tabTo(page, 'button', 'Done')
    await press(page, 'Enter')
    await expect(made).toBeHidden()
    const row = page.getByRole('row', { name: /eva@nordlicht/ })
    await expect(row).toContainText('No role')
    await choose(page, 'eva@nordlicht.example', 'Make installation admin')
    await tabTo(page, 'button', 'Make installation admin')
    await press(page, 'Enter')
    await expect(row).toContainText('Installation admin')
    await choose(page, 'eva@nordlicht.example', 'Disable sign-in')
    await tabTo(page, 'button', 'Disable sign-in')
    await press(page, 'Enter')
    await expect(row).toContainText('Disabled')
    await choose(page, 'eva@nordlicht.example', 'Allow sign-in again')
    await expect(row).toContainText('Allowed')
    await choose(page, 'eva@nordlicht.example', 'New link')
    await tabTo(page, 'button', 'Make link')
    await press(page, 'Enter')
    const link = page.getByRole('dialog', { name: 'A link for eva@nordlicht.example' })
    await expect(link.locator('code')).toContainText('/console/reset#')
    const eva = await world.db.query
      .selectFrom('person')
      .select(['installation_role', 'disabled'])
      .where('email', '=', 'eva@nordlicht.example')
      .executeTakeFirst()
    assert.deepEqual({ ...eva }, { installation_role: 'admin', disabled: null })
  })

  test('the only admin keeps the role and the sign-in, and the menu says why', async () => {
    const { page, visit } = await open({ isOperator: true, isAlone: true })
    await visit('/admin/people')
    await page
      .getByRole('row', { name: /Jana Nord/ })
      .getByRole('button', { name: /^Actions for/ })
      .press('Enter')
    for (const name of ['Remove the admin role', 'Disable sign-in']) {
      const entry = page.getByRole('menuitem', { name })
      await expect(entry).toBeDisabled()
      await expect(entry).toContainText('Nobody else administers the installation.')
    }
  })

  test('a Project is created, gets limits and is deleted; one that holds something says what', async () => {
    const console = await open({ isOperator: true, effective })
    await someServers(console)
    await someMail(console)
    const { page, visit, world, name } = console
    await world.db.transact(async (tx) => {
      const second = await findProject(tx.query, 'second')
      const owner = await createPerson(tx, { email: 'eva@nordlicht.example', name: 'Eva Süd' })
      await createProject(tx, 'nobodys', timestamp(tx.now))
      await addMember(tx, { projectId: second!.id }, owner.id, 'owner')
    })
    await visit('/admin/projects')
    await press(page, 'c')
    await page.getByRole('dialog', { name: 'Create Project' }).waitFor()
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.type('nordlicht')
    await press(page, 'Tab')
    await page.keyboard.type('ops@nordlicht.example')
    await press(page, 'Enter')
    const row = page.getByRole('row', { name: /nordlicht/ })
    await expect(row).toContainText('Mail to ops@nordlicht.example')
    await choose(page, 'nordlicht', 'Change limits')
    await tabTo(page, 'textbox', 'Servers')
    await press(page, 'Control+a')
    await page.keyboard.type('3')
    await press(page, 'Enter')
    await expect(row).toContainText('1 own')
    await tabTo(page, 'button', `Actions for ${name}`)
    await press(page, 'Enter')
    await expect(page.getByRole('menuitem', { name: /Delete Project/ })).toContainText('Servers: 4')
    await press(page, 'Escape')
    await choose(page, 'nordlicht', 'Delete Project')
    await expect(page.getByRole('dialog', { name: 'Delete the Project nordlicht?' })).toBeVisible()
    await tabTo(page, 'textbox', /nordlicht/)
    await page.keyboard.type('nordlicht')
    await press(page, 'Enter')
    await expect(row).toHaveCount(0)

    await choose(page, 'nobodys', 'Become the owner')
    await expect(page.getByRole('dialog', { name: 'Become the owner of nobodys?' })).toBeVisible()
    await tabTo(page, 'button', 'Become the owner')
    await press(page, 'Enter')
    await expect(page.getByRole('row', { name: /nobodys/ })).toContainText('Jana Nord')
    await choose(page, 'second', 'Join Project')
    await tabTo(page, 'button', 'Join Project')
    await press(page, 'Enter')
    await choose(page, 'second', 'Open Project')
    await expect(page.getByRole('heading', { level: 1, name: 'Overview of second' })).toBeAttached()
    await visit('/admin/projects')

    await go(page, 'Mail')
    await expect(page.getByRole('row', { name: /A certificate ends/ })).toContainText('Logged')
    await choose(page, 'A certificate ends', 'Send again')
    await expect(page.getByRole('row', { name: /A certificate ends/ })).toContainText('Waiting')
    await go(page, 'Health')
    await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible()
    await expect(page.getByText(/^(SQLite|PostgreSQL)$/)).toBeVisible()
    await go(page, 'Options')
    await expect(page.getByRole('row', { name: /--token/ })).toContainText('set, not shown')
    await press(page, '/')
    await page.keyboard.type('acme')
    await expect(page.getByRole('row', { name: /--vendor/ })).toContainText('Command line')
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(2)
    await go(page, 'Audit log')
    await expect(page.getByRole('row', { name: /installation\/projects/ }).first()).toBeVisible()
  })

  test('the page of all Projects says what runs and costs, filters, pins, and creates', async () => {
    const console = await open({ isOperator: true, isAlone: true })
    await someServers(console)
    const { page, visit, name } = console
    await visit('/')
    const card = page.getByRole('listitem').filter({ hasText: name })
    await expect(card).toContainText('Owner')
    await expect(card).toContainText(/\d+ servers/)
    await expect(card).toContainText(/about €\d/)
    // Of a Project that they do not belong to there is no card.
    await expect(page.getByRole('listitem').filter({ hasText: 'second' })).toHaveCount(0)
    await press(page, 'c')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.type('alpha')
    await press(page, 'Enter')
    await expect(page).toHaveURL(/\/projects\/\d+$/)
    await visit('/')
    const names = () => page.getByRole('main').getByRole('listitem').locator('b').allTextContents()
    await expect.poll(names).toEqual(['alpha', name])
    await tabTo(page, 'button', `Pin ${name}`)
    await press(page, 'Enter')
    await expect.poll(names).toEqual([name, 'alpha'])
    await page.reload()
    await expect.poll(names).toEqual([name, 'alpha'])
    await press(page, '/')
    await page.keyboard.type('alp')
    await expect.poll(names).toEqual(['alpha'])
    await expect(page).toHaveURL(/q=alp/)
  })
})

forConsole('the console of others', (open) => {
  test('shows nothing of the installation and says why', async () => {
    const { page, visit } = await open({ role: 'owner' })
    for (const tab of ['people', 'projects', 'mail', 'health', 'status', 'options', 'audit']) {
      await visit(`/admin/${tab}`)
      await expect(page.getByRole('heading', { level: 1, name: 'You may not see this' })).toBeVisible()
      await expect(page.getByText('This needs an installation admin.')).toBeVisible()
    }
    await visit('/')
    await expect(page.getByRole('button', { name: 'Create Project' })).toBeDisabled()
    await expect(page.getByRole('link', { name: 'All Projects of the installation' })).toHaveCount(0)
  })
})

drivesWhatIsSaid(import.meta.filename)
