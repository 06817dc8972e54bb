/** The report of a lab, used with the keyboard alone: runs, whose requests, what was found, and its files. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { LabClock } from '../../../src/lab/clock.ts'
import { done } from '../../kit/proof.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press } from '../kit/harness.ts'
import { act, choose, confirm, fill, take } from '../kit/keyboard.ts'
import { sloppyRun } from '../states/clients.ts'

const lab = () => ({ isOperator: true, lab: new LabClock(Date.parse('2026-11-28T12:00:00Z'), 'running') })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const verdictOf = (page: Page) => part(page, 'Is the client well behaved?')

/** What the browser saves when a form of the report is chosen from the menu. */
async function downloaded(page: Page, form: string) {
  await act(page, 'Download')
  const [file] = await Promise.all([page.waitForEvent('download'), take(page, form)])
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

forConsole(
  'the report of a lab',
  (open) => {
    test('begins with a run and answers whether the client is well behaved', async () => {
      const { page, visit, api } = await open(lab())
      await visit('/admin/lab')
      const band = page.getByRole('complementary', { name: 'Test lab' })
      await band.getByRole('link', { name: 'What clients did' }).press('Enter')
      await expect(page.getByText('No client has asked for anything')).toBeVisible()
      await act(page, 'Start run')
      await fill(page, 'Name', 'a suite')
      await press(page, 'Enter')
      await expect(page.getByRole('combobox', { name: 'Run' })).toHaveValue('1')
      const { firewall } = await done(api.post('/firewalls', { name: 'kept' }))
      const verdict = verdictOf(page)
      await expect(verdict.getByRole('status')).toHaveText('1 thing to look at', { timeout: 15_000 })
      await verdict.getByRole('link', { name: '1 resource is left over' }).press('Enter')
      await expect(part(page, 'Left over')).toBeFocused()
      await part(page, 'Left over').getByRole('link', { name: 'kept' }).press('Enter')
      await expect(page.getByRole('heading', { name: 'kept', level: 1 })).toBeVisible()
      await done(api.delete(`/firewalls/${firewall.id}`))
      await visit('/admin/report?run=1')
      await expect(verdict.getByRole('status')).toHaveText('Well behaved')
      await expect(verdict.getByText(/nothing left over, never above 3,600 requests an hour/)).toBeVisible()
      await act(page, 'End run')
      await expect(page.getByRole('button', { name: 'Start run' })).toBeVisible()
      await choose(page, 'a suite', 'Forget run')
      await confirm(page, 'Forget the run a suite?', 'Forget run')
      await expect(page.getByRole('combobox', { name: 'Run' })).toHaveValue('')
      await expect(page.getByRole('option', { name: /a suite/ })).toHaveCount(0)
    })

    test('tells all that a sloppy client did, and judges what it may cost', async () => {
      const console = await open(lab())
      const { page, visit } = console
      const run = await sloppyRun(console)
      await visit(`/admin/report?run=${run}`)
      const verdict = verdictOf(page)
      await expect(verdict.getByRole('status')).toHaveText('6 things to look at')
      const lines = [/resources are left over/, /^3 deprecated things are used/, /^3 fields are sent/, /was not read/]
      for (const line of lines) await expect(verdict.getByRole('link', { name: line })).toBeVisible()
      const row = (name: string, says: RegExp) =>
        expect(part(page, name).getByRole('row').filter({ hasText: says })).toHaveCount(1)
      await row('Deprecated, and in use', /debian-11 in image Deprecated since .*POST \/servers/)
      await row('Deprecated, and in use', /cx22 in server_type .*, over/)
      await row('Sent, and read by nothing', /subnets\[\]\.gateway.*POST \/networks.*body/)
      await row('Sent again after an error', /POST \/placement_groups.*no answer.*none: sent again at once/)
      await row('Requests by operation', /201, did not arrive.*injected by lost-answer/)
      await row('What it costs', /left-over-1.*Server/)
      await fill(page, 'Cost at most', '0,001')
      await expect(verdict.getByRole('link', { name: /^Costs €.* excl\. VAT, more than €0\.0010/ })).toBeVisible()
      await fill(page, 'Cost at most', 'little')
      await expect(page.getByLabel('Cost at most')).toHaveAccessibleDescription(/must be an amount/)
      await fill(page, 'Cost at most', '1')
      await expect(verdict.getByText(/costs no more than €1\.0000 excl\. VAT/)).toBeVisible()
    })

    test('hands the report out as files, also that of one token', async () => {
      const console = await open(lab())
      const { page, visit, name } = console
      const run = await sloppyRun(console)
      await visit(`/admin/report?run=${run}`)
      const json = await downloaded(page, 'Report as JSON')
      assert.equal(json.name, 'report-terraform-apply-all-of-it.json')
      const { report } = JSON.parse(json.text)
      assert.equal(report.run.id, run)
      assert.match((await downloaded(page, 'Report as text')).text, /^Run \d+ \(terraform apply, all of it\)/)
      assert.match((await downloaded(page, 'Report as JUnit')).text, /<testcase classname="wolke" name="leftovers">/)
      const { log } = JSON.parse((await downloaded(page, 'Requests with answers as HAR')).text)
      assert.equal(log.entries.length, report.requests)
      const { token } = log.entries[0]._wolke
      await page.getByRole('combobox', { name: 'Project' }).selectOption(name)
      await page.getByRole('combobox', { name: 'Token' }).selectOption(String(token))
      await expect(verdictOf(page).getByRole('status')).toHaveText('6 things to look at')
      const ofToken = JSON.parse((await downloaded(page, 'Report as JSON')).text).report
      assert.deepEqual([ofToken.token, ofToken.requests], [token, report.requests])
    })
  },
  'sqlite',
)

drivesWhatIsSaid(import.meta.filename)
