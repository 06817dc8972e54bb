/** What pages change on members, tokens and the Project itself, with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../src/kernel/access/roles.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { createPerson } from '../../../src/people/person-store.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, confirmByName, fill, take } from '../kit/keyboard.ts'

/** Somebody else of the Project. */
async function withMember({ world, project }: Console, name: string, role: Role): Promise<void> {
  await world.db.transact(async (tx) => {
    const { id } = await createPerson(tx, { email: `${name}@nordlicht.example`, name: '', installationRole: 'none' })
    await addMember(tx, { projectId: project }, id, role)
  })
}

forConsole('changes of a Project', (open) => {
  test('give members other roles, remove them, and make one of them its owner', async () => {
    const console = await open()
    await withMember(console, 'eva', 'viewer')
    await withMember(console, 'ole', 'member')
    const { page } = console
    await console.visit('P/security/members')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`${name}@nordlicht`) })
    await choose(page, 'eva@nordlicht.example', 'Change role')
    await tabTo(page, 'radio', /^Viewer/)
    await press(page, 'ArrowDown', 'ArrowDown')
    await expect(page.getByRole('radio', { name: /^Member/ })).toBeChecked()
    await confirm(page, 'Role of eva@nordlicht.example', 'Change role')
    await expect(row('eva')).toContainText('Member')
    await choose(page, 'ole@nordlicht.example', 'Remove')
    await confirm(page, 'Remove ole@nordlicht.example?', 'Remove member')
    await expect(row('ole')).toHaveCount(0)
    await choose(page, 'eva@nordlicht.example', 'Make owner')
    await confirmByName(page, console.name)
    await expect(row('eva')).toContainText('Owner')
    await expect(page.getByRole('row', { name: /person-/ })).toContainText('Admin')
  })

  test('rename its tokens', async () => {
    const console = await open()
    await console.visit('P/security/tokens')
    const { page } = console
    await press(page, 'j', '.')
    await take(page, 'Rename')
    await fill(page, 'Description', 'backup job')
    await press(page, 'Enter')
    await expect(page.getByRole('row', { name: /backup job/ })).toBeVisible()
  })

  test('delete it, once nothing is in it', async () => {
    const console = await open()
    const { page, project, name, world } = console
    await console.visit('P/settings')
    await act(page, 'Delete Project')
    await confirmByName(page, name)
    await expect(page).toHaveURL(/\/console\/?$/)
    await expect(page.getByText(name, { exact: true })).toHaveCount(0)
    const rows = await world.db.query.selectFrom('project').select('id').where('id', '=', project).execute()
    assert.deepEqual(rows, [])
  })
})

forConsole('changes of an account', (open) => {
  test('end all other sessions', async () => {
    const console = await open()
    const { page, world, person } = console
    const whence = { network: 'network:192.0.2.7', agent: 'another browser' }
    await world.db.transact((tx) => world.app.people.sessions.start(tx, { personId: person.id, whence }))
    await console.visit('/account/sessions')
    await expect(page.getByRole('row')).toHaveCount(3)
    await act(page, 'End all other sessions')
    await confirm(page, 'End all other sessions?', 'End 1 session')
    await expect(page.getByRole('row')).toHaveCount(2)
    await expect(page.getByRole('row', { name: /This session/ })).toBeVisible()
  })
})

drivesWhatIsSaid(import.meta.filename)
