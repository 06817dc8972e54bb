/** The tabs of a server. */
import type { Console } from '../kit/harness.ts'
import { publicKey } from './resources.ts'
import { pathOf } from './servers.ts'
import type { PageState } from './states.ts'

/** A server in a network with a firewall, a Floating IP, backups, a backup and a snapshot; one that is off; a key. */
export async function someTabs({ api, world }: Console): Promise<void> {
  const act = (id: number, name: string, body?: object) => api.post(`/servers/${id}/actions/${name}`, body)
  const makeNetwork = async (name: string, net: string) => {
    const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: `${net}.1.0/24` }]
    const { body } = await api.post('/networks', { name, ip_range: `${net}.0.0/16`, subnets })
    return body.network.id as number
  }
  const internal = await makeNetwork('internal', '10.0')
  await makeNetwork('storage', '10.1')
  const rules = [{ direction: 'in', protocol: 'tcp', port: '443', source_ips: ['0.0.0.0/0', '::/0'] }]
  const firewall = await api.post('/firewalls', { name: 'web', rules })
  await api.post('/ssh_keys', { name: 'laptop', public_key: publicKey })
  await world.settle()
  const make = async (name: string, more: object) => {
    const machine = { server_type: 'cx23', image: 'debian-12', location: 'fsn1' }
    const { body } = await api.post('/servers', { name, ...machine, ...more })
    await world.settle()
    return body.server.id as number
  }
  const web = await make('web-1', { networks: [internal], firewalls: [{ firewall: firewall.body.firewall.id }] })
  await make('off-1', { start_after_create: false })
  await api.post('/floating_ips', { name: 'www', type: 'ipv4', server: web })
  await act(web, 'enable_backup')
  await world.settle()
  await act(web, 'create_image', { type: 'backup' })
  await world.settle()
  await act(web, 'create_image', { type: 'snapshot', description: 'before the upgrade' })
  await world.settle()
}

const prepare = someTabs
const at = (name: string, tab: string) => (console: Console) => pathOf(console, name, `/${tab}`)

/** Opens a dialog by its button. */
function asked(name: string): Required<PageState>['act'] {
  return async ({ page }) => {
    await page.getByRole('button', { name, exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').getByText('hcloud').first().waitFor()
  }
}

const ready = (name: string): Required<PageState>['act'] => {
  return ({ page }) => page.getByRole('heading', { level: 2, name }).first().waitFor()
}

export const serverTabStates: readonly PageState[] = [
  { name: 'server-networking', path: at('web-1', 'networking'), prepare, act: ready('Effective rules') },
  { name: 'server-networking-attach', path: at('web-1', 'networking'), prepare, act: asked('Attach to a network') },
  { name: 'server-networking-detach', path: at('web-1', 'networking'), prepare, act: asked('Detach from internal') },
  {
    name: 'server-networking-viewer',
    path: at('web-1', 'networking'),
    role: 'viewer',
    prepare,
    act: ready('Firewalls'),
  },
  { name: 'server-backups', path: at('web-1', 'backups'), prepare, act: ready('Backups and snapshots') },
  { name: 'server-backups-empty', path: at('off-1', 'backups'), prepare, act: ready('Backups and snapshots') },
  { name: 'server-backups-take', path: at('web-1', 'backups'), prepare, act: asked('Take snapshot') },
  { name: 'server-backups-disable', path: at('web-1', 'backups'), prepare, act: asked('Turn backups off') },
  { name: 'server-backups-viewer', path: at('web-1', 'backups'), role: 'viewer', prepare, act: ready('Backups') },
  { name: 'server-change', path: at('off-1', 'change'), prepare, act: ready('Rescale') },
  { name: 'server-change-running', path: at('web-1', 'change'), prepare, act: ready('Rescale') },
  { name: 'server-change-viewer', path: at('web-1', 'change'), role: 'viewer', prepare, act: ready('Rescale') },
  { name: 'server-change-rescue', path: at('web-1', 'change'), prepare, act: asked('Enable rescue') },
  { name: 'server-settings', path: at('web-1', 'settings'), prepare },
  { name: 'server-activity', path: at('web-1', 'activity'), prepare },
  { name: 'server-change-rebuild', path: at('web-1', 'change'), prepare, act: asked('Rebuild with debian-12') },
]
