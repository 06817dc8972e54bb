/** The pages of zones, certificates, networks, volumes, images and keys, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { scoped } from '../../../src/kernel/data/scoped.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { type Console, expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { choose, fill } from '../kit/keyboard.ts'
import { someBalancers } from '../states/firewalls.ts'
import { pageOf, publicKey, someKeys, someNetworks, someZones } from '../states/resources.ts'
import { someServers } from '../states/servers.ts'

async function act(page: Page, name: string): Promise<void> {
  await tabTo(page, 'button', name)
  await press(page, 'Enter')
}

forConsole('DNS zones in the console', (open) => {
  test('are created, and get records of several types', async () => {
    const console = await open()
    await console.visit('P/zones')
    const { page, api, world } = console
    await press(page, 'c')
    await fill(page, 'Name of the zone', 'nordlicht.de')
    await act(page, 'Create zone')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('nordlicht.de')
    await world.settle()
    await press(page, 'c')
    await fill(page, 'Name', 'www')
    await fill(page, 'Address', '203.0.113.10')
    await fill(page, 'Comment', 'first site')
    await act(page, 'Create 1 record')
    await expect(page.getByRole('row').filter({ hasText: 'first site' })).toBeVisible()
    const { rrset } = (await api.get('/zones/nordlicht.de/rrsets/www/A')).body
    assert.deepEqual(rrset.records, [{ value: '203.0.113.10', comment: 'first site' }])
  })

  test('have their records edited in place, with the parts of their type', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de')
    const { page, api, world } = console
    await choose(page, '@/MX', 'Edit')
    await fill(page, 'Priority', '20')
    await fill(page, 'TTL in seconds', '600')
    await act(page, 'Save the records')
    await expect(page.getByRole('textbox', { name: 'Priority' })).toHaveCount(0)
    await world.settle()
    const { rrset } = (await api.get('/zones/nordlicht.de/rrsets/@/MX')).body
    assert.deepEqual([rrset.records[0].value, rrset.ttl], ['20 mail', 600])
  })

  test('say at the field what the server refuses', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de')
    const { page } = console
    await choose(page, 'old/A', 'Edit')
    await fill(page, 'Address', '203.0.113.300')
    await act(page, 'Save the records')
    const address = page.getByRole('textbox', { name: 'Address' })
    await expect(address).toHaveAttribute('aria-invalid', 'true')
    await expect(address).toHaveAccessibleDescription(/must be an IPv4 address/)
  })

  test('show what a file changes, and import it in one request', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de/import')
    const { page, api, world } = console
    const head = '$TTL 3600\n@ SOA ns1.a.example. me.a.example. 1 86400 10800 3600000 3600\n@ NS ns1.a.example.\n'
    const lines = '@ MX 10 mail\n@ TXT "v=spf1 mx -all"\nwww 300 A 203.0.113.20\nnew A 203.0.113.30\n'
    await act(page, 'Replace')
    await fill(page, 'The file', `${head}${lines}bad A 1.2.3.400\n`)
    // Once, and not in the words of the server again.
    await expect(page.getByRole('alert').filter({ hasText: 'Line 8' })).toHaveText(
      'Line 8: It has no valid value of the type A: must be an IPv4 address',
    )
    await expect(page.getByRole('button', { name: /Replace/ }).last()).toHaveAccessibleDescription(
      'Correct line 8 first',
    )
    await fill(page, 'The file', head + lines)
    const changes = page.getByRole('listitem').filter({ hasText: /203\.0\.113\./ })
    await expect(changes.filter({ hasText: 'new' })).toContainText('added')
    await expect(changes.filter({ hasText: 'www' })).toContainText('203.0.113.20')
    await expect(changes.filter({ hasText: 'old' })).toContainText('not in the file')
    await act(page, 'Replace 3 record sets')
    await expect(page).toHaveURL(/zones\/nordlicht\.de$/)
    await world.settle()
    const { rrsets } = (await api.get('/zones/nordlicht.de/rrsets?type=A')).body
    assert.deepEqual(
      rrsets.map((one: { name: string; records: { value: string }[] }) => [one.name, one.records[0]?.value]).sort(),
      [
        ['new', '203.0.113.30'],
        ['www', '203.0.113.20'],
      ],
    )
  })

  test('are not imported over a protected record set, which the preview names', async () => {
    const console = await open()
    await someZones(console)
    const { page, api } = console
    await api.post('/zones/nordlicht.de/rrsets/www/A/actions/change_protection', { change: true })
    await console.visit('P/zones/nordlicht.de/import')
    await act(page, 'Merge')
    await fill(page, 'The file', 'new A 203.0.113.30\n')
    await expect(page.getByText('Protected from changes: www/A.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Merge 1 record set' })).toHaveAccessibleDescription(
      /Take the protection off/,
    )
  })

  test('keep what is not in the file when it is merged', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de/import')
    const { page, api, world } = console
    await fill(page, 'The file', 'new A 203.0.113.30\n')
    await act(page, 'Merge 1 record set')
    await expect(page).toHaveURL(/zones\/nordlicht\.de$/)
    await world.settle()
    const { rrsets } = (await api.get('/zones/nordlicht.de/rrsets?type=A')).body
    assert.deepEqual(rrsets.map(({ name }: { name: string }) => name).sort(), ['new', 'old', 'www'])
    const [www] = rrsets.filter(({ name }: { name: string }) => name === 'www')
    assert.deepEqual([www.ttl, www.records[0].comment], [300, 'first site'])
  })

  test('are deleted after their name was typed', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/zones/nordlicht.de/settings')
    const { page, api, world } = console
    await act(page, 'Delete the zone')
    await fill(page, /Type nordlicht\.de/, 'nordlicht.de')
    await press(page, 'Enter')
    await expect(page.getByRole('dialog')).toBeHidden()
    await world.settle()
    assert.deepEqual((await api.get('/zones')).body.zones, [])
  })
})

forConsole('certificates in the console', (open) => {
  test('show why one was not issued', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/certificates')
    const { page, api, world } = console
    await expect(page.getByText('elsewhere was not issued.')).toBeVisible()
    await expect(page.getByText('There is no DNS zone for www.elsewhere.example in this Project.')).toBeVisible()
    await expect(page.getByRole('img', { name: /^www: Ends in/ })).toBeVisible()
    await act(page, 'Table')
    await expect(page.getByRole('columnheader', { name: 'Valid until' })).toBeVisible()
    await console.visit('P/activity?status=error')
    await tabTo(page, 'link', 'Create certificate')
    await press(page, 'Enter')
    const sheet = page.getByRole('dialog', { name: 'Create certificate' })
    await act(page, 'Try again')
    await expect(sheet).toBeHidden()
    await world.settle()
    const { actions } = (await api.get('/certificates/actions')).body
    assert.deepEqual(
      actions.map(({ command }: { command: string }) => command).filter((one: string) => one.startsWith('issue')),
      ['issue_certificate'],
    )
  })

  test('are asked for after their zones were looked at', async () => {
    const console = await open()
    await someZones(console)
    await console.visit('P/certificates/new')
    const { page, api, world } = console
    await fill(page, 'Domain names', 'shop.nordlicht.de\nwww.elsewhere.example')
    await expect(page.getByText('No zone of this Project has it.')).toBeVisible()
    await fill(page, 'Domain names', 'shop.nordlicht.de')
    await act(page, 'New certificate')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('shop.nordlicht.de')
    await world.settle()
    const [certificate] = (await api.get('/certificates?name=shop.nordlicht.de')).body.certificates
    assert.equal(certificate.type, 'managed')
  })
})

forConsole('networks and volumes in the console', (open) => {
  test('get subnets, and lose servers', async () => {
    const console = await open()
    await someNetworks(console)
    await console.visit(await pageOf('networks', 'internal')(console))
    const { page, api, world } = console
    await expect(page.getByRole('img', { name: /1 subnet, 1 member and 1 route/ })).toBeVisible()
    await act(page, 'Add a subnet')
    await fill(page, 'Range of the subnet', '10.0.7.0/24')
    await press(page, 'Enter')
    await expect(page.getByRole('dialog')).toBeHidden()
    await world.settle()
    await act(page, 'Detach web-1')
    await act(page, 'Detach the server')
    await expect(page.getByRole('dialog')).toBeHidden()
    await world.settle()
    const [network] = (await api.get('/networks')).body.networks
    assert.deepEqual(network.subnets.map((one: { ip_range: string }) => one.ip_range).sort(), [
      '10.0.1.0/24',
      '10.0.7.0/24',
    ])
    assert.deepEqual(network.servers, [])
  })

  test('are created with what the form says', async () => {
    const console = await open()
    await console.visit('P/networks')
    const { page, api, world } = console
    await press(page, 'c')
    await fill(page, 'Range', '172.16.0.0/16')
    await act(page, 'Create network')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('internal')
    await world.settle()
    const [network] = (await api.get('/networks')).body.networks
    assert.deepEqual([network.ip_range, network.subnets[0].ip_range], ['172.16.0.0/16', '172.16.0.0/24'])
  })

  test('show how to make a file system where there is none, and where to attach them', async () => {
    const console = await open()
    const { page, api, world, visit } = console
    const body = { name: 'raw', size: 10, location: 'fsn1' }
    const { id } = (await api.post('/volumes', body)).body.volume
    await world.settle()
    await visit(`P/volumes/${id}`)
    await expect(page.getByText(/^mkfs\.ext4 \/dev\//)).toBeVisible()
    // Name and value of the device stand beside each other.
    const value = page.getByRole('complementary').getByText(/^\/dev\/disk/)
    const name = page.getByRole('term').filter({ hasText: 'Device' })
    const [left, right] = [(await name.boundingBox())!, (await value.boundingBox())!]
    expect(left.x + left.width <= right.x + 1 || left.y + left.height <= right.y + 1).toBe(true)
    await act(page, 'Attach')
    await expect(page.getByRole('dialog')).toContainText('raw')
    const { id: formatted } = (await api.post('/volumes', { ...body, name: 'data', format: 'ext4' })).body.volume
    await world.settle()
    await visit(`P/volumes/${formatted}`)
    await expect(page.getByText(/^mount -o discard/)).toBeVisible()
    await expect(page.getByText(/^mkfs/)).toHaveCount(0)
  })

  test('are attached to servers and made larger', async () => {
    const console = await open()
    await someNetworks(console)
    await console.visit('P/volumes')
    const { page, api, world } = console
    await choose(page, 'spare', 'Attach')
    await tabTo(page, 'combobox', 'Server')
    await page.keyboard.type('web-1')
    await act(page, 'Attach')
    await expect(page.getByRole('dialog')).toBeHidden()
    await world.settle()
    await choose(page, 'data', 'Make larger')
    await fill(page, 'Size in GB', '30')
    await press(page, 'Enter')
    await expect(page.getByRole('dialog')).toBeHidden()
    await world.settle()
    const { volumes } = (await api.get('/volumes?sort=name')).body
    assert.deepEqual(
      volumes.map((one: { name: string; size: number; server: number | null }) => [one.name, one.size, !!one.server]),
      [
        ['data', 30, true],
        ['spare', 10, true],
      ],
    )
    await tabTo(page, 'link', 'spare')
    await press(page, 'Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('spare')
    await expect(page.getByRole('link', { name: 'web-1' })).toBeVisible()
    await expect(page.getByText(/mount .*\/mnt\/spare$/)).toBeVisible()
    await press(page, '`')
    await tabTo(page, 'tab', 'hcloud')
    await press(page, 'ArrowLeft')
    await expect(page.getByRole('tabpanel').first()).toContainText('to = hcloud_volume.spare')
  })

  test('are images, with the servers that use them, and how long they can be used', async () => {
    const console = await open()
    await someNetworks(console)
    await console.visit('P/images?group=system&q=debian-12')
    const { page } = console
    await tabTo(page, 'link', 'debian-12')
    await press(page, 'Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('debian-12')
    await expect(page.getByRole('listitem').filter({ hasText: 'web-1' })).toBeVisible()
    await act(page, 'Create a server from it')
    await expect(page).toHaveURL(/servers\/new\?image=debian-12/)
  })
})

forConsole('SSH keys in the console', (open) => {
  test('are added by pasting a public key, whose comment names it', async () => {
    const console = await open()
    await console.visit('P/security/ssh-keys')
    const { page, api } = console
    await press(page, 'c')
    await fill(page, 'Public key', publicKey)
    await act(page, 'Add an SSH key')
    await expect(page.getByRole('dialog')).toBeHidden()
    const [key] = (await api.get('/ssh_keys')).body.ssh_keys
    assert.deepEqual([key.name, key.public_key], ['jana@laptop', publicKey])
  })

  test('are made in the browser: the private key is a file that ssh takes, and never sent', async () => {
    const console = await open()
    await console.visit('P/security/ssh-keys')
    const { page, api } = console
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await press(page, 'c')
    await act(page, 'Generate a pair')
    await fill(page, 'Name', 'laptop')
    const waiting = page.waitForEvent('download')
    await act(page, 'Generate and add')
    const download = await waiting
    assert.equal(download.suggestedFilename(), 'laptop_ed25519')
    const folder = mkdtempSync(join(tmpdir(), 'wolke-key-'))
    try {
      const file = join(folder, 'key')
      await download.saveAs(file)
      chmodSync(file, 0o600)
      const [key] = (await api.get('/ssh_keys')).body.ssh_keys
      const derived = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' })
      assert.equal(derived.trim(), key.public_key)
      const secret = readFileSync(file, 'utf8').split('\n').slice(1, -2).join('')
      assert.ok(sent.every((body) => !body.includes('PRIVATE KEY') && !body.includes(secret.slice(0, 60))))
    } finally {
      rmSync(folder, { recursive: true })
    }
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('laptop_ed25519')
    await press(page, 'Escape')
    await expect(dialog).toBeVisible()
    await act(page, 'I have stored it')
    await expect(dialog).toBeHidden()
  })

  test('cannot be changed by viewers, who are told why', async () => {
    const console = await open({ role: 'viewer' })
    await someKeys(console)
    await console.visit('P/security/ssh-keys')
    const { page } = console
    const add = page.getByRole('button', { name: 'Add an SSH key' })
    await expect(add).toHaveAccessibleDescription(/needs the role Restricted/)
  })
})

/** One of each kind that can fail of itself, long before everything that was done last. */
async function someFailures(console: Console): Promise<void> {
  const { api, world, project } = console
  await someBalancers(console)
  const { servers } = (await api.get('/servers?name=web-1')).body
  const [shop] = (await api.get('/load_balancers?name=shop')).body.load_balancers
  // Its selector matches the server as well, which is one all the same.
  await api.post(`/load_balancers/${shop.id}/actions/add_target`, { type: 'server', server: { id: servers[0].id } })
  await api.post(`/servers/${servers[0].id}/actions/poweroff`)
  await api.post('/certificates', { name: 'shop', type: 'managed', domain_names: ['shop.elsewhere.example'] })
  await api.post('/zones', {
    name: 'copy.example',
    mode: 'secondary',
    primary_nameservers: [{ address: '192.0.2.53', port: 53 }],
  })
  await world.settle()
  await world.db.transact(async (tx) => {
    const sources = scoped(tx.query, { projectId: project }).updateTable('zone_source')
    await sources.set({ is_stale: 1 }).execute()
  })
  world.clock.advance(2 * 86_400_000)
  for (let count = 0; count < 11; count++) await api.post('/volumes', { name: `v${count}`, size: 10, location: 'fsn1' })
  await world.settle()
}

forConsole('the overview of a Project', (open) => {
  test('says what needs somebody by its state, however long ago it failed', async () => {
    const before = await open({ isAlone: true })
    await someFailures(before)
    // Sessions do not last for two days.
    const console = await before.signIn('admin')
    const { page, project } = console
    await console.visit('P')
    const main = page.getByRole('main')
    await expect(main.getByText('3 things need you.')).toBeVisible()
    await expect(main.getByText('Nothing needs you')).toHaveCount(0)
    const line = (text: string) => main.getByRole('listitem').filter({ hasText: text })
    await expect(line('shop: Not issued')).toContainText('DNS zone for')
    await expect(line('shop: 0 of 2 healthy')).toContainText('Load Balancers · http 80')
    await expect(line('copy.example: the primary servers do not answer')).toBeVisible()
    await line('copy.example').getByRole('link', { name: 'Look at it' }).click()
    await expect(page).toHaveURL(/\/zones\/copy\.example\/settings$/)
    // The page of all Projects tells of what it can count.
    await console.visit('/')
    const card = page.getByRole('main').getByRole('listitem').filter({ hasText: console.name })
    await expect(card).toContainText('3 things failed')
    await expect(card).not.toContainText('Nothing runs')
    await console.visit(`/projects/${project}`)
    await expect(main.getByText('3 things need you.')).toBeVisible()
  })

  test('refusals that name a resource by its id say its name', async () => {
    const console = await open()
    const { page, api } = console
    await someServers(console)
    const [{ id }] = (await api.get('/servers?name=build-1')).body.servers
    await page.route(/\/actions\/poweron/, (route) =>
      route.fulfill({
        status: 422,
        json: { error: { code: 'server_not_stopped', message: `server with ID '${id}' must be off`, details: null } },
      }),
    )
    await console.visit('P/servers')
    await page.getByRole('button', { name: 'Actions for build-1' }).click()
    await page.getByRole('menuitem', { name: 'Power on' }).click()
    await expect(page.getByRole('alert')).toContainText('Server build-1 must be off')
  })

  test('says what no simulation brings about, and which failures of actions stand', async () => {
    const console = await open()
    const { page, api, world } = console
    await someServers(console)
    const { id } = (await api.post('/volumes', { name: 'data', size: 10, location: 'fsn1' })).body.volume
    await world.settle()
    await page.route(/\/v1\/servers\?/, async (route) => {
      const reply = await (await route.fetch()).json()
      await route.fulfill({
        json: { ...reply, servers: reply.servers.map((one: object) => ({ ...one, status: 'unknown' })) },
      })
    })
    await page.route(/\/v1\/primary_ips\?/, async (route) => {
      const reply = await (await route.fetch()).json()
      const [first, ...others] = reply.primary_ips
      await route.fulfill({ json: { ...reply, primary_ips: [{ ...first, blocked: true }, ...others] } })
    })
    const action = (id: number, command: string, status: string, about: number) => ({
      ...{ id, command, status, family: 'volumes', progress: 100, resources: [{ id: about, type: 'volume' }] },
      ...{ started: new Date().toISOString(), finished: new Date().toISOString() },
      error: status === 'error' ? { code: 'action_failed', message: 'it did not work' } : null,
    })
    const told = [action(5, 'resize_volume', 'error', id), action(4, 'change_protection', 'success', id)]
    await page.route(/\/activity\?/, (route) => {
      const isOfFailures = new URL(route.request().url()).searchParams.get('standing') === 'true'
      return route.fulfill({ json: { activity: isOfFailures ? told.slice(0, 1) : told, meta: { next: null } } })
    })
    await console.visit('P')
    const needs = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'Look at it' }) })
    await expect(page.getByText('6 things need you.')).toBeVisible()
    await expect(needs.filter({ hasText: 'The state of web-1 is unknown' })).toHaveCount(1)
    await expect(needs.filter({ hasText: 'is blocked' })).toHaveCount(1)
    await expect(needs.filter({ hasText: 'data: Enlarge volume failed' })).toHaveCount(1)
  })
})

drivesWhatIsSaid(import.meta.filename)
