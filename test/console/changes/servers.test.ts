/** What pages change on servers and Load Balancers that are there, with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, fill } from '../kit/keyboard.ts'
import { someBalancers } from '../states/firewalls.ts'
import { someServers } from '../states/servers.ts'

async function named({ api }: Console, family: string, name: string) {
  return (await api.get(`/${family}?name=${name}`)).body[family][0]
}

forConsole('changes of servers', (open) => {
  test('switch them on and off, and protect them', async () => {
    const console = await open()
    await someServers(console)
    const { page, world } = console
    await console.visit('P/servers')
    const row = page.getByRole('row', { name: /web-1/ })
    const acts = { Reboot: 'Running', Reset: 'Running', 'Shut down': 'Off', 'Power on': 'Running', 'Power off': 'Off' }
    for (const [entry, status] of Object.entries(acts)) {
      await choose(page, 'web-1', entry)
      // What interrupts it asks before.
      if (entry !== 'Power on') await confirm(page, /web-1/, entry)
      await world.settle()
      await expect(row.getByText(status, { exact: true })).toBeVisible()
    }
    const { actions } = (await console.api.get(`/servers/${(await named(console, 'servers', 'web-1')).id}/actions`))
      .body
    assert.deepEqual(actions.map(({ command }: { command: string }) => command).slice(-5), [
      'reboot_server',
      'reset_server',
      'shutdown_server',
      'start_server',
      'stop_server',
    ])
    const isProtected = async () => (await named(console, 'servers', 'web-1')).protection
    await choose(page, 'web-1', 'Protect from deletion')
    await expect.poll(isProtected).toEqual({ delete: true, rebuild: true })
    await choose(page, 'web-1', 'Take the protection off')
    await expect.poll(isProtected).toEqual({ delete: false, rebuild: false })
  })
})

forConsole('changes of Load Balancers', (open) => {
  test('rename and protect them, and change their type, names and services', async () => {
    const console = await open()
    await someBalancers(console)
    const { page, world, api } = console
    const { id, public_net: net } = await named(console, 'load_balancers', 'shop')
    const balancer = async () => (await api.get(`/load_balancers/${id}`)).body.load_balancer
    await console.visit(`P/load-balancers/${id}`)
    await choose(page, 'shop', 'Rename')
    await fill(page, 'Name', 'store')
    await confirm(page, 'Rename shop', 'Rename')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('store')
    await act(page, 'Change: Change the type')
    await tabTo(page, 'combobox', 'Type')
    await page.keyboard.type('lb21')
    await confirm(page, 'Change the type', 'Change the type')
    await world.settle()
    await act(page, `Change: Reverse name of ${net.ipv4.ip}`)
    await fill(page, 'Host name', 'store.nordlicht.example')
    await confirm(page, `Reverse name of ${net.ipv4.ip}`, 'Save')
    await world.settle()
    const changed = await balancer()
    assert.deepEqual(
      [changed.name, changed.load_balancer_type.name, changed.public_net.ipv4.dns_ptr],
      ['store', 'lb21', 'store.nordlicht.example'],
    )
    await tabTo(page, 'link', /^Services/)
    await press(page, 'Enter')
    await choose(page, 'http 80 → 80', 'Change')
    await fill(page, 'Sends to port', '8080')
    await confirm(page, 'Change the service on port 80', 'Change service')
    await world.settle()
    assert.equal((await balancer()).services[0].destination_port, 8080)
    await tabTo(page, 'link', 'Danger')
    await press(page, 'Enter')
    await act(page, 'Protect from deletion')
    await expect(page.getByRole('button', { name: 'Delete store' })).toHaveAccessibleDescription('is protected')
    await act(page, 'Take the protection off')
    await expect(page.getByRole('button', { name: 'Delete store' })).toBeEnabled()
    assert.equal((await balancer()).protection.delete, false)
  })

  test('put them into networks and out of them, and off the Internet and back', async () => {
    const console = await open()
    const { page, world, api } = console
    await api.post('/load_balancers', { name: 'shop', load_balancer_type: 'lb11', location: 'fsn1' })
    const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }]
    await api.post('/networks', { name: 'internal', ip_range: '10.0.0.0/16', subnets })
    const { id } = await named(console, 'load_balancers', 'shop')
    const balancer = async () => (await api.get(`/load_balancers/${id}`)).body.load_balancer
    await console.visit(`P/load-balancers/${id}/network`)
    await act(page, 'Attach')
    await fill(page, 'Private address', '10.0.1.9')
    await confirm(page, 'Attach shop to a network', 'Attach')
    await world.settle()
    assert.equal((await balancer()).private_net[0].ip, '10.0.1.9')
    await act(page, 'Stop listening publicly')
    await confirm(page, 'Stop shop listening publicly?', 'Stop listening publicly')
    await world.settle()
    await expect(page.getByText('Not public', { exact: true })).toBeVisible()
    assert.equal((await balancer()).public_net.enabled, false)
    await act(page, 'Listen publicly')
    await confirm(page, 'Let shop listen publicly?', 'Listen publicly')
    await world.settle()
    await act(page, 'Detach')
    await confirm(page, 'Detach shop from internal?', 'Detach')
    await world.settle()
    const { public_net: net, private_net: places } = await balancer()
    assert.deepEqual([net.enabled, places], [true, []])
  })
})

drivesWhatIsSaid(import.meta.filename)
