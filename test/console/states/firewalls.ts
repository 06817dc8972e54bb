/** The pages of firewalls, of "Who can reach what", of addresses and of Load Balancers. */
import type { Console } from '../kit/harness.ts'
import { someServers } from './servers.ts'
import type { PageState } from './states.ts'

/** The path of a page of the first resource of a family. */
const first =
  (family: string, folder: string, tab = '') =>
  async ({ api }: Console): Promise<string> => {
    const { body } = await api.get(`/${family}`)
    return `P/${folder}/${body[family][0].id}${tab}`
  }

export const rulesOfFirst = first('firewalls', 'firewalls', '/rules')

async function someAddresses(console: Console): Promise<void> {
  await someServers(console)
  const { api, world } = console
  const { body } = await api.get('/servers?name=web-1')
  await api.post('/floating_ips', { type: 'ipv4', server: body.servers[0].id, name: 'www' })
  await api.post('/floating_ips', { type: 'ipv6', home_location: 'nbg1', name: 'spare' })
  await world.settle()
}

export async function someBalancers(console: Console): Promise<void> {
  await someServers(console)
  const { api, world } = console
  await api.post('/load_balancers', {
    name: 'shop',
    load_balancer_type: 'lb11',
    location: 'fsn1',
    labels: { env: 'prod' },
    services: [{ protocol: 'http' }],
    targets: [{ type: 'label_selector', label_selector: { selector: 'role=web' } }],
  })
  await world.settle()
}

const full = { prepare: someServers } as const
const addresses = { prepare: someAddresses } as const
const balancers = { prepare: someBalancers } as const
const balancerTabs = ['overview', 'services', 'targets', 'network', 'metrics', 'activity', 'danger'] as const

export const firewallStates: readonly PageState[] = [
  { name: 'firewalls', path: 'P/firewalls', ...full },
  { name: 'firewalls-empty', path: 'P/firewalls' },
  { name: 'firewall-new', path: 'P/firewalls/new', ...full },
  { name: 'firewall-rules', path: rulesOfFirst, ...full },
  { name: 'firewall-rules-viewer', path: rulesOfFirst, role: 'viewer', ...full },
  {
    name: 'firewall-rules-changed',
    path: rulesOfFirst,
    ...full,
    act: ({ page }) => page.getByRole('button', { name: 'Add SSH' }).click(),
  },
  {
    name: 'firewall-rules-paste',
    path: rulesOfFirst,
    ...full,
    act: ({ page }) => page.getByRole('button', { name: 'Paste' }).click(),
  },
  { name: 'firewall-resources', path: first('firewalls', 'firewalls', '/resources'), ...full },
  { name: 'firewall-activity', path: first('firewalls', 'firewalls', '/activity'), ...full },
  { name: 'reach', path: 'P/reach?from=internet&to=web-1&port=tcp/443', ...full },
  { name: 'reach-empty', path: 'P/reach' },
  { name: 'floating-ips', path: 'P/floating-ips', ...addresses },
  { name: 'floating-ips-empty', path: 'P/floating-ips' },
  { name: 'primary-ips', path: 'P/primary-ips', ...addresses },
  { name: 'load-balancers', path: 'P/load-balancers', ...balancers },
  { name: 'load-balancers-empty', path: 'P/load-balancers' },
  { name: 'load-balancer-new', path: 'P/load-balancers/new', ...balancers },
  ...balancerTabs.map((tab) => ({
    name: `load-balancer-${tab}`,
    path: first('load_balancers', 'load-balancers', `/${tab}`),
    ...balancers,
  })),
]
