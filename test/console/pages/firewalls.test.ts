/** The pages of firewalls and of "Who can reach what", used with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { rulesOfFirst } from '../states/firewalls.ts'
import { someServers } from '../states/servers.ts'

forConsole('firewalls in the console', (open) => {
  test('are changed after the difference was shown, and the server has the rules', async () => {
    const console = await open()
    await someServers(console)
    await console.visit(await rulesOfFirst(console))
    const { page, api, world } = console
    await tabTo(page, 'button', 'Add SSH')
    await press(page, 'Enter')
    const changes = page.getByRole('complementary', { name: 'Changes' })
    await expect(changes).toContainText('1 change')
    await expect(page.getByText('is required for direction in')).toBeVisible()
    await page.keyboard.type('internet')
    await press(page, 'Enter')
    await expect(changes).toContainText('Opens SSH to the Internet')
    await expect(changes).toContainText('web-1')
    await press(page, 'Alt+ArrowUp')
    await tabTo(page, 'button', /^Apply/)
    await press(page, 'Enter')
    await expect(changes).toContainText('No changes')
    await world.settle()
    const { firewalls } = (await api.get('/firewalls')).body
    assert.deepEqual(
      firewalls[0].rules.map(({ port, source_ips }: { port: string; source_ips: string[] }) => [port, source_ips]),
      [
        ['22', ['0.0.0.0/0', '::/0']],
        ['443', ['0.0.0.0/0', '::/0']],
      ],
    )
  })

  test('have a preset once, and no rule in the picture that could not be applied', async () => {
    const console = await open()
    await someServers(console)
    await console.visit(await rulesOfFirst(console))
    const { page } = console
    await page.getByRole('button', { name: 'Add HTTPS' }).click()
    await expect(page.getByRole('combobox', { name: 'From of rule 1' })).toBeFocused()
    await expect(page.getByText('No changes')).toBeVisible()
    const picture = page.getByRole('img', { name: /reaches/ })
    await expect(picture).not.toHaveAccessibleName(/tcp 22|SSH|will reach/)
    await page.getByRole('button', { name: 'Add SSH' }).click()
    await page.keyboard.type('10.0.0.1/8')
    await press(page, 'Enter')
    await expect(page.getByText('host bits')).toBeVisible()
    await expect(picture).not.toHaveAccessibleName(/will reach/)
    await press(page, 'Backspace')
    await page.keyboard.type('10.0.0.0/8')
    await press(page, 'Enter')
    await expect(picture).toHaveAccessibleName(/will reach/)
  })

  test('answer who can reach a server with the deciding rule', async () => {
    const console = await open()
    await someServers(console)
    await console.visit('P/reach?from=internet&to=web-1&port=tcp/443')
    const { page } = console
    await expect(page.getByText('Rule 1 of web lets it in.')).toBeVisible()
    await tabTo(page, 'combobox', 'on')
    await press(page, 'Control+a')
    await page.keyboard.type('tcp/22')
    await expect(page.getByText('No inbound rule of web accepts it')).toBeVisible()
    await expect(page).toHaveURL(/port=tcp%2F22/)
  })
})

drivesWhatIsSaid(import.meta.filename)
