/** What pages change on zones and certificates that are there, with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../kit/samples/certificates.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'
import { expect, forConsole, press, tabTo } from '../kit/harness.ts'
import { act, choose, confirm, fill, rename } from '../kit/keyboard.ts'
import { someZones } from '../states/resources.ts'

forConsole('changes of DNS zones', (open) => {
  test('set their TTL, labels and protection', async () => {
    const console = await open()
    await someZones(console)
    const { page, api, world } = console
    const zone = async () => (await api.get('/zones/nordlicht.de')).body.zone
    await console.visit('P/zones/nordlicht.de/settings')
    await fill(page, /^TTL of records/, '7200')
    await act(page, 'Change the TTL')
    await expect.poll(async () => (await zone()).ttl).toBe(7200)
    await world.settle()
    await tabTo(page, 'textbox', 'Labels')
    await page.keyboard.type('team=web')
    await press(page, 'Enter')
    await act(page, 'Save')
    await expect.poll(async () => (await zone()).labels).toEqual({ env: 'prod', team: 'web' })
    await act(page, 'Protect from deletion')
    await expect(page.getByRole('button', { name: 'Delete the zone' })).toHaveAccessibleDescription('is protected')
    await act(page, 'Take the protection off')
    await expect(page.getByRole('button', { name: 'Delete the zone' })).toBeEnabled()
    assert.equal((await zone()).protection.delete, false)
  })

  test('protect sets of records and delete them', async () => {
    const console = await open()
    await someZones(console)
    const { page, api, world } = console
    const path = '/zones/nordlicht.de/rrsets/old/A'
    const isProtected = async () => (await api.get(path)).body.rrset.protection.change
    await console.visit('P/zones/nordlicht.de')
    const row = page.getByRole('row', { name: /203\.0\.113\.9/ })
    await choose(page, 'old/A', 'Protect')
    await expect.poll(isProtected).toBe(true)
    await world.settle()
    await expect(row).toContainText('rotected')
    await choose(page, 'old/A', 'Take the protection off')
    await expect.poll(isProtected).toBe(false)
    await world.settle()
    await expect(row).not.toContainText('rotected')
    await choose(page, 'old/A', 'Delete')
    await confirm(page, 'Delete old A?', 'Delete 1 record')
    await expect(row).toHaveCount(0)
    await world.settle()
    assert.equal((await api.get(path)).status, 404)
  })

  test('name other servers that a copy comes from', async () => {
    const console = await open()
    const { page, api, world } = console
    const primary_nameservers = [{ address: '192.0.2.1', port: 53 }]
    await api.post('/zones', { name: 'copy.example', mode: 'secondary', primary_nameservers })
    await world.settle()
    await console.visit('P/zones/copy.example/settings')
    await fill(page, 'Address', '192.0.2.53')
    await act(page, 'Change the name servers')
    const addresses = async () =>
      (await api.get('/zones/copy.example')).body.zone.primary_nameservers.map(
        ({ address }: { address: string }) => address,
      )
    await expect.poll(addresses).toEqual(['192.0.2.53'])
    await world.settle()
  })
})

forConsole('changes of certificates', (open) => {
  test('upload, rename and delete them', async () => {
    const console = await open()
    const { page, api } = console
    const { certificate, private_key: key } = selfSigned('www.nordlicht.de')
    await console.visit('P/certificates/upload')
    await fill(page, 'Name', 'own')
    await fill(page, 'Certificate chain', certificate)
    await fill(page, 'Private key', key)
    await act(page, 'Upload the certificate')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('own')
    await rename(page, 'own', 'mine')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('mine')
    const [stored] = (await api.get('/certificates')).body.certificates
    assert.deepEqual([stored.name, stored.domain_names], ['mine', ['www.nordlicht.de']])
    await choose(page, 'mine', 'Delete')
    await confirm(page, 'Delete mine?', 'Delete the certificate')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Certificates')
    assert.deepEqual((await api.get('/certificates')).body.certificates, [])
  })
})

drivesWhatIsSaid(import.meta.filename)
