/** The page of a lab, used with the keyboard alone: time, snapshots, forks, and the way back to the beginning. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LabClock } from '../../../src/lab/clock.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press } from '../kit/harness.ts'
import { act, choose, confirm, fill } from '../kit/keyboard.ts'

const start = Date.parse('2026-11-28T12:00:00Z')

forConsole(
  'the console of a lab',
  (open) => {
    test('moves time and says what comes next', async () => {
      const { page, visit } = await open({ isOperator: true, lab: new LabClock(start, 'running') })
      await visit('/admin/lab')
      await act(page, 'Stands still')
      await expect(page.getByRole('button', { name: 'Stands still' })).toHaveAttribute('aria-pressed', 'true')
      await expect(page.getByText('Time moves only when it is advanced.')).toBeVisible()
      const coming = page.getByRole('region', { name: 'What comes next' })
      await expect(coming.getByRole('row', { name: /link header removed/ })).toBeVisible()
      await act(page, 'Advance time')
      await fill(page, 'By', 'soon')
      await press(page, 'Enter')
      const dialog = page.getByRole('dialog', { name: 'Advance time' })
      await expect(dialog.getByRole('textbox')).toHaveAccessibleDescription(/must be a duration/)
      await fill(page, 'By', '180d')
      await press(page, 'Enter')
      await expect(coming.getByRole('row', { name: /link header removed/ })).toHaveCount(0)
      await expect(page.getByText(/2027/).first()).toBeVisible()
    })

    test('keeps a state, forks it, and goes back to it and to the beginning', async () => {
      const { page, visit, world, api } = await open({
        isOperator: true,
        lab: new LabClock(start, 'frozen'),
        runActions: false,
      })
      await world.app.start()
      await visit('/admin/lab')
      await act(page, 'Save snapshot')
      await fill(page, 'Name', 'before')
      await press(page, 'Enter')
      await expect(page.getByRole('row', { name: /before/ })).toBeVisible()
      await act(page, 'Fork the cloud')
      await press(page, 'Enter')
      const forks = page.getByRole('region', { name: 'Forks' })
      const url = (await forks.locator('.mono').first().textContent())!
      assert.equal((await fetch(`${url}/servers`)).status, 401)
      await choose(page, url, 'End fork')
      await confirm(page, `End the fork at ${url}?`, 'End fork')
      await expect(forks.getByText(/^A fork is a copy/)).toBeVisible()
      await choose(page, 'before', 'Restore')
      await confirm(page, 'Restore the snapshot before?', 'Restore')
      await choose(page, 'before', 'Forget')
      await confirm(page, 'Forget the snapshot before?', 'Forget')
      await expect(page.getByText(/^A snapshot keeps the cloud/)).toBeVisible()
      await api.post('/firewalls', { name: 'web' })
      await act(page, 'Reset everything')
      await confirm(page, 'Reset everything?', 'Reset everything')
      await expect(page.getByRole('region', { name: 'Forks' }).getByText(/^A fork is a copy/)).toBeVisible()
      const { body } = await api.get('/firewalls')
      assert.deepEqual(body.firewalls, [])
    })
  },
  'sqlite',
)

drivesWhatIsSaid(import.meta.filename)
