/** What pages change on networks, volumes, addresses, firewalls, images and keys that are there, by keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, confirmByName, fill, protect, rename } from '../kit/keyboard.ts'
import { pageOf, publicKey, someKeys, someNetworks } from '../states/resources.ts'
import { someServers } from '../states/servers.ts'

async function named({ api }: Console, family: string, name: string) {
  return (await api.get(`/${family}?name=${name}`)).body[family][0]
}

/** Whether a resource is protected, by its name. */
const protection = (console: Console, family: string, name: string) => async (): Promise<boolean> =>
  (await named(console, family, name)).protection.delete

forConsole('changes by keyboard', (open) => {
  test('rename, protect, extend and delete networks', async () => {
    const console = await open()
    const { page, api, world } = console
    const subnets = ['10.0.1.0/24', '10.0.2.0/24'].map((ip_range) => ({
      type: 'cloud',
      network_zone: 'eu-central',
      ip_range,
    }))
    await api.post('/networks', { name: 'internal', ip_range: '10.0.0.0/16', subnets })
    await console.visit('P/networks')
    await rename(page, 'internal', 'inside')
    await protect(page, 'inside', protection(console, 'networks', 'inside'))
    await console.visit(await pageOf('networks', 'inside')(console))
    await act(page, 'Delete the subnet 10.0.2.0/24')
    await confirm(page, 'Delete 10.0.2.0/24?', 'Delete the subnet')
    await world.settle()
    await act(page, 'Extend the range')
    await fill(page, 'Range', '10.0.0.0/15')
    await confirm(page, 'Extend inside', 'Extend the range')
    await world.settle()
    const network = await named(console, 'networks', 'inside')
    assert.deepEqual([network.ip_range, network.subnets.length], ['10.0.0.0/15', 1])
    await choose(page, 'inside', 'Delete')
    await confirm(page, 'Delete inside?', 'Delete the network')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Networks')
    assert.deepEqual((await api.get('/networks')).body.networks, [])
  })

  test('create, rename, protect, detach and delete volumes', async () => {
    const console = await open()
    await someNetworks(console)
    const { page, world } = console
    await console.visit('P/volumes')
    await press(page, 'c')
    await fill(page, 'Name', 'archive')
    await fill(page, 'Size in GB', '15')
    await act(page, 'Create volume')
    await expect(page.getByRole('row', { name: /archive/ })).toBeVisible()
    await world.settle()
    await rename(page, 'archive', 'attic')
    await protect(page, 'attic', protection(console, 'volumes', 'attic'))
    await choose(page, 'attic', 'Delete')
    await confirmByName(page, 'attic')
    await expect(page.getByRole('row', { name: /attic/ })).toHaveCount(0)
    await choose(page, 'data', 'Detach')
    await confirm(page, 'Detach data?', 'Detach')
    await world.settle()
    assert.equal((await named(console, 'volumes', 'data')).server, null)
  })

  test('rename and protect Floating IPs, and assign, protect and delete Primary IPs', async () => {
    const console = await open()
    const { page, api, world } = console
    await api.post('/floating_ips', { type: 'ipv4', home_location: 'fsn1', name: 'www' })
    await api.post('/primary_ips', { type: 'ipv4', location: 'fsn1', name: 'mail', assignee_type: 'server' })
    const machine = { server_type: 'cx23', image: 'debian-12', location: 'fsn1', start_after_create: false }
    await api.post('/servers', { ...machine, name: 'off-1', public_net: { enable_ipv4: false, enable_ipv6: true } })
    await world.settle()
    await console.visit('P/floating-ips')
    await rename(page, 'www', 'shop')
    await protect(page, 'shop', protection(console, 'floating_ips', 'shop'))
    await console.visit('P/primary-ips')
    await rename(page, 'mail', 'post')
    await protect(page, 'post', protection(console, 'primary_ips', 'post'))
    await choose(page, 'post', 'Assign')
    await tabTo(page, 'radio', /^off-1/)
    await press(page, 'Space')
    await confirm(page, 'Assign post to', 'Assign')
    await world.settle()
    await expect(page.getByRole('row', { name: /post/ })).toContainText('off-1')
    assert.notEqual((await named(console, 'primary_ips', 'post')).assignee_id, null)
    await choose(page, 'post', 'Unassign')
    await confirm(page, 'Take post from off-1?', 'Unassign')
    await world.settle()
    await expect(page.getByRole('row', { name: /post/ })).toContainText('Not assigned')
    await choose(page, 'post', 'Delete')
    await confirmByName(page, 'post')
    await expect(page.getByRole('row', { name: /post/ })).toHaveCount(0)
  })

  test('rename and delete firewalls and keys, and protect and rename snapshots', async () => {
    const console = await open()
    await someKeys(console)
    await someServers(console)
    const { page, api, world } = console
    await api.post('/firewalls', { name: 'spare', rules: [] })
    await console.visit('P/firewalls')
    await rename(page, 'spare', 'unused')
    await choose(page, 'unused', 'Delete')
    await confirmByName(page, 'unused')
    await expect(page.getByRole('row', { name: /unused/ })).toHaveCount(0)
    assert.deepEqual(
      (await api.get('/firewalls')).body.firewalls.map(({ name }: { name: string }) => name),
      ['web'],
    )
    await console.visit('P/security/ssh-keys')
    await rename(page, 'laptop', 'desk')
    assert.equal((await named(console, 'ssh_keys', 'desk')).public_key, publicKey)
    await choose(page, 'desk', 'Delete')
    await confirm(page, 'Delete desk?', 'Delete the key')
    await expect(page.getByText('No SSH keys yet')).toBeVisible()
    const { id } = await named(console, 'servers', 'web-1')
    await api.post(`/servers/${id}/actions/create_image`, { type: 'snapshot', description: 'before' })
    await world.settle()
    const image = async () => (await api.get('/images?type=snapshot')).body.images[0]
    await console.visit('P/images')
    await rename(page, 'before', 'first')
    await protect(page, 'first', async () => (await image()).protection.delete)
    assert.equal((await image()).description, 'first')
  })
})

drivesWhatIsSaid(import.meta.filename)
