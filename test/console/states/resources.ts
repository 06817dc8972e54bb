/** The pages of zones, certificates, networks, volumes, images, SSH keys and placement groups. */
import type { Console } from '../kit/harness.ts'
import type { PageState } from './states.ts'

/** A zone with records of several types, a certificate for it, and one that an issuer refuses. */
export async function someZones({ api, world }: Console): Promise<void> {
  const records = (...values: string[]) => values.map((value) => ({ value }))
  await api.post('/zones', {
    name: 'nordlicht.de',
    mode: 'primary',
    labels: { env: 'prod' },
    rrsets: [
      { name: '@', type: 'MX', records: records('10 mail') },
      { name: '@', type: 'TXT', records: records('"v=spf1 mx -all"') },
      { name: 'www', type: 'A', ttl: 300, records: [{ value: '203.0.113.10', comment: 'first site' }] },
      { name: 'old', type: 'A', records: records('203.0.113.9') },
    ],
  })
  await api.post('/certificates', { name: 'www', type: 'managed', domain_names: ['www.nordlicht.de'] })
  await api.post('/certificates', { name: 'elsewhere', type: 'managed', domain_names: ['www.elsewhere.example'] })
  await world.settle()
}

/** A network with a subnet, a route and servers in it; a volume that is attached and one that is free; a snapshot. */
export async function someNetworks({ api, world }: Console): Promise<void> {
  const network = await api.post('/networks', {
    name: 'internal',
    ip_range: '10.0.0.0/16',
    subnets: [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }],
  })
  const group = await api.post('/placement_groups', { name: 'web', type: 'spread' })
  await world.settle()
  const server = await api.post('/servers', {
    name: 'web-1',
    server_type: 'cx23',
    image: 'debian-12',
    location: 'fsn1',
    networks: [network.body.network.id],
    placement_group: group.body.placement_group.id,
  })
  await world.settle()
  await api.post('/volumes', { name: 'data', size: 20, server: server.body.server.id, format: 'ext4' })
  await api.post('/volumes', { name: 'spare', size: 10, location: 'fsn1' })
  await api.post(`/networks/${network.body.network.id}/actions/add_route`, {
    destination: '10.100.0.0/16',
    gateway: '10.0.1.1',
  })
  await world.settle()
  await api.post(`/servers/${server.body.server.id}/actions/create_image`, { type: 'snapshot', description: 'before' })
  await world.settle()
}

export async function someKeys({ api }: Console): Promise<void> {
  await api.post('/ssh_keys', { name: 'laptop', public_key: publicKey })
}

/** A key whose bytes are all ones. */
export const publicKey = (() => {
  const text = (value: string | Buffer) => {
    const bytes = Buffer.from(value as string)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  return `ssh-ed25519 ${Buffer.concat([text('ssh-ed25519'), text(Buffer.alloc(32, 1))]).toString('base64')} jana@laptop`
})()

/** The path of the page of a resource, by its name. */
export function pageOf(family: string, name: string): (console: Console) => Promise<string> {
  return async ({ api }) => `P/${family}/${(await api.get(`/${family}?name=${name}`)).body[family][0].id}`
}

const zones = { prepare: someZones } as const
const networks = { prepare: someNetworks } as const

const zoneFile = `$ORIGIN nordlicht.de.
$TTL 3600
@ IN SOA ns1.elsewhere.example. me.elsewhere.example. 1 86400 10800 3600000 3600
@ IN NS ns1.elsewhere.example.
@ IN MX 10 mail
www 300 IN A 203.0.113.20
new IN A 203.0.113.30
`

export const resourceStates: readonly PageState[] = [
  { name: 'zones', path: 'P/zones', ...zones },
  { name: 'zones-empty', path: 'P/zones' },
  { name: 'zone-new', path: 'P/zones/new' },
  { name: 'zone', path: 'P/zones/nordlicht.de', ...zones },
  { name: 'zone-viewer', path: 'P/zones/nordlicht.de', role: 'viewer', ...zones },
  {
    name: 'zone-edit',
    path: 'P/zones/nordlicht.de',
    ...zones,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for @/MX' }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Priority' }).waitFor()
    },
  },
  {
    name: 'zone-unsaved',
    path: 'P/zones/nordlicht.de',
    ...zones,
    async act({ page }) {
      await page.getByRole('button', { name: 'New record' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('www2')
      await page.getByRole('link', { name: 'Settings' }).last().click()
      await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
    },
  },
  { name: 'zone-settings', path: 'P/zones/nordlicht.de/settings', ...zones },
  { name: 'zone-import-empty', path: 'P/zones/nordlicht.de/import', ...zones },
  {
    name: 'zone-import',
    path: 'P/zones/nordlicht.de/import',
    ...zones,
    async act({ page }) {
      await page.getByText('Replace', { exact: true }).click()
      await page.getByRole('textbox', { name: 'The file' }).fill(zoneFile)
      await page.getByRole('button', { name: 'Show lines' }).click()
      await page.getByText('not in the file').first().waitFor()
    },
  },
  {
    name: 'zone-import-error',
    path: 'P/zones/nordlicht.de/import',
    ...zones,
    async act({ page }) {
      await page.getByRole('textbox', { name: 'The file' }).fill(`${zoneFile}wrong IN A 203.0.113.300\n`)
      await page.getByRole('button', { name: 'Show lines' }).click()
      await page.getByText('must be an IPv4 address').waitFor()
    },
  },
  { name: 'certificates', path: 'P/certificates', ...zones },
  { name: 'certificates-table', path: 'P/certificates?view=table', ...zones },
  { name: 'certificates-empty', path: 'P/certificates' },
  { name: 'certificate', path: pageOf('certificates', 'www'), ...zones },
  { name: 'certificate-failed', path: pageOf('certificates', 'elsewhere'), ...zones },
  {
    name: 'certificate-new',
    path: 'P/certificates/new',
    ...zones,
    act: ({ page }) =>
      page.getByRole('textbox', { name: 'Domain names' }).fill('www.nordlicht.de\nwww.elsewhere.example'),
  },
  { name: 'certificate-upload', path: 'P/certificates/upload' },
  { name: 'networks', path: 'P/networks', ...networks },
  { name: 'networks-empty', path: 'P/networks' },
  { name: 'network-new', path: 'P/networks/new' },
  { name: 'network', path: pageOf('networks', 'internal'), ...networks },
  {
    name: 'network-aliases',
    path: pageOf('networks', 'internal'),
    ...networks,
    async act({ page }) {
      await page.getByRole('button', { name: 'Alias addresses of web-1' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'network-viewer', path: pageOf('networks', 'internal'), role: 'viewer', ...networks },
  { name: 'volumes', path: 'P/volumes', ...networks },
  { name: 'volumes-empty', path: 'P/volumes' },
  { name: 'volume', path: pageOf('volumes', 'data'), ...networks },
  { name: 'volume-new', path: 'P/volumes/new', ...networks },
  { name: 'images', path: 'P/images', ...networks },
  { name: 'images-system', path: 'P/images?group=system' },
  { name: 'image', path: pageOf('images', 'debian-12'), ...networks },
  { name: 'ssh-keys', path: 'P/security/ssh-keys', prepare: someKeys },
  { name: 'ssh-keys-empty', path: 'P/security/ssh-keys' },
  {
    name: 'ssh-keys-add',
    path: 'P/security/ssh-keys',
    async act({ page }) {
      await page.keyboard.press('c')
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'placement-groups', path: 'P/placement-groups', ...networks },
  {
    name: 'placement-groups-leave',
    path: 'P/placement-groups',
    ...networks,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for web' }).click()
      await page.getByRole('menuitem', { name: 'Take a server out' }).click()
      await page.getByRole('dialog').getByText('hcloud').first().waitFor()
    },
  },
  { name: 'placement-groups-empty', path: 'P/placement-groups' },
]
