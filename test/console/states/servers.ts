/** The pages of Projects, their overview and their servers. */
import type { Console } from '../kit/harness.ts'
import { someKeys } from './resources.ts'
import type { PageState } from './states.ts'

/** Servers in several places and states, with labels, a key and a firewall. */
export async function someServers({ api, world }: Console): Promise<void> {
  const firewall = await api.post('/firewalls', {
    name: 'web',
    rules: [{ direction: 'in', protocol: 'tcp', port: '443', source_ips: ['0.0.0.0/0', '::/0'] }],
  })
  const made = [
    { name: 'web-1', server_type: 'cx23', location: 'fsn1', labels: { role: 'web', env: 'prod' } },
    { name: 'web-2', server_type: 'cx23', location: 'nbg1', labels: { role: 'web', env: 'prod' } },
    { name: 'db-1', server_type: 'ccx23', location: 'fsn1', labels: { role: 'db' } },
    { name: 'build-1', server_type: 'cax21', location: 'hel1', labels: { role: 'ci' }, start_after_create: false },
  ]
  for (const server of made) {
    const firewalls = server.labels.role === 'web' ? [{ firewall: firewall.body.firewall.id }] : []
    const { body } = await api.post('/servers', { image: 'debian-12', ...server, firewalls })
    await world.settle()
    if (server.name === 'db-1') {
      await api.post(`/servers/${body.server.id}/actions/change_protection`, { delete: true, rebuild: true })
    }
  }
  await world.settle()
}

/** Volumes that are free, in two places. */
export async function someVolumes({ api, world }: Console): Promise<void> {
  await api.post('/volumes', { name: 'data', size: 10, location: 'fsn1', format: 'ext4' })
  await api.post('/volumes', { name: 'far', size: 10, location: 'hel1', format: 'ext4' })
  await world.settle()
}

/** What can be chosen for a server. */
async function choicesForServers(console: Console): Promise<void> {
  await someServers(console)
  await someKeys(console)
  await someVolumes(console)
}

/** The path of a server's page. */
export async function pathOf({ api }: Console, name: string, tab = ''): Promise<string> {
  const { body } = await api.get(`/servers?name=${name}`)
  return `P/servers/${body.servers[0].id}${tab}`
}

const full = { prepare: someServers } as const

export const serverStates: readonly PageState[] = [
  { name: 'overview', path: 'P', ...full },
  { name: 'overview-empty', path: 'P' },
  { name: 'servers', path: 'P/servers', ...full },
  { name: 'servers-empty', path: 'P/servers' },
  { name: 'servers-viewer', path: 'P/servers', role: 'viewer', ...full },
  {
    name: 'servers-selected',
    path: 'P/servers',
    ...full,
    act: ({ page }) => page.getByRole('checkbox', { name: 'Select web-1' }).check(),
  },
  {
    name: 'servers-menu',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for web-1' }).click()
      await page.getByRole('menuitem').first().waitFor()
    },
  },
  {
    name: 'servers-reset',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for web-1' }).click()
      await page.getByRole('menuitem', { name: 'Reset' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'servers-delete',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for web-1' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'servers-columns',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'servers-firewall',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('checkbox', { name: 'Select web-1' }).check()
      await page.getByRole('toolbar').getByRole('button', { name: 'Firewall' }).click()
      await page.getByRole('combobox', { name: 'Firewall' }).selectOption('web')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'servers-results',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('checkbox', { name: /Select all/ }).check()
      await page.getByRole('toolbar').getByRole('button', { name: 'Power on' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'servers-commands',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.getByRole('button', { name: 'Commands' }).click()
      await page.getByRole('tab', { name: 'Terraform' }).last().click()
    },
  },
  { name: 'servers-nothing-fits', path: 'P/servers?q=nothing', ...full },
  { name: 'server-new', path: 'P/servers/new', ...full },
  {
    name: 'server-new-wrong',
    path: 'P/servers/new?type=bogus&image=bogus&location=nowhere',
    ...full,
    act: ({ page }) => page.getByText('There is no location nowhere.').first().waitFor(),
  },
  {
    name: 'server-new-volumes',
    path: 'P/servers/new?location=fsn1&name=web-{08..10}',
    prepare: choicesForServers,
    async act({ page }) {
      await page.getByRole('button', { name: 'Add: Volumes' }).click()
      await page.getByRole('menuitem', { name: /^data/ }).click()
      await page.getByRole('radio', { name: /^nbg1/ }).check()
      await page.getByText('data is in fsn1').waitFor()
    },
  },
  { name: 'server', path: (console) => pathOf(console, 'web-1'), ...full },
  { name: 'missing', path: 'P/servers/1' },
  { name: 'forbidden', path: '/projects/1/servers' },
  {
    name: 'palette',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'shortcuts',
    path: 'P/servers',
    ...full,
    async act({ page }) {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
]
