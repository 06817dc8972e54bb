/** The page of all Projects, and the pages about the installation. */
import { LabClock } from '../../../src/lab/clock.ts'
import { loggedMail } from '../../../src/management/proof.ts'
import type { Console, ConsoleOptions } from '../kit/harness.ts'
import { idleRun, pathOfRun, someClients } from './clients.ts'
import { someServers } from './servers.ts'
import type { PageState } from './states.ts'

/** What a server was started with. */
export const effective: NonNullable<ConsoleOptions['effective']> = [
  option('--vendor', 'acme', 'flag'),
  option('--public-url', 'https://cloud.example.com', 'environment'),
  { ...option('--token', null, 'environment'), secret: true },
  option('--now', null, 'default'),
]

function option(flag: string, value: string | null, source: 'flag' | 'environment' | 'file' | 'default') {
  const environment = `WOLKE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`
  return { flag, environment, description: `what ${flag} is for`, value, source, secret: false }
}

const operator = { options: { isOperator: true, effective } } as const
const inLab = { options: { isOperator: true, lab: new LabClock(Date.now(), 'running') } } as const

export async function someMail({ world, project }: Console): Promise<void> {
  await loggedMail(world, project)
}

export const adminStates: readonly PageState[] = [
  { name: 'home', path: '/', ...operator, prepare: someServers },
  { name: 'home-none', path: '/', role: null },
  { name: 'home-member', path: '/', role: 'viewer' },
  {
    name: 'home-create',
    path: '/',
    ...operator,
    async act({ page }) {
      await page.keyboard.press('c')
      await page.getByRole('dialog', { name: 'Create Project' }).waitFor()
    },
  },
  { name: 'admin-people', path: '/admin/people', ...operator },
  { name: 'admin-people-forbidden', path: '/admin/people' },
  {
    name: 'admin-people-link',
    path: '/admin/people',
    ...operator,
    async act({ page }) {
      await page.keyboard.press('c')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Mail address' }).fill('eva@nordlicht.example')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'eva@nordlicht.example can come in' }).waitFor()
    },
  },
  { name: 'admin-projects', path: '/admin/projects', ...operator, prepare: someServers },
  {
    name: 'admin-projects-limits',
    path: '/admin/projects',
    ...operator,
    async act({ page }) {
      await page.getByRole('button', { name: 'Actions for second' }).click()
      await page.getByRole('menuitem', { name: 'Change limits' }).click()
      const dialog = page.getByRole('dialog', { name: 'Limits of second' })
      await dialog.getByRole('textbox', { name: 'Servers' }).fill('3')
    },
  },
  { name: 'admin-mail', path: '/admin/mail', ...operator, prepare: someMail },
  { name: 'admin-mail-empty', path: '/admin/mail', ...operator },
  { name: 'admin-health', path: '/admin/health', ...operator, prepare: ({ world }) => world.app.jobs.run() },
  { name: 'admin-status', path: '/admin/status', ...operator, prepare: someServers },
  { name: 'admin-options', path: '/admin/options', ...operator },
  { name: 'admin-audit', path: '/admin/audit', ...operator, prepare: someServers },
  { name: 'admin-lab', path: '/admin/lab', ...inLab, prepare: someServers },
  {
    name: 'admin-lab-advance',
    path: '/admin/lab',
    ...inLab,
    prepare: someServers,
    async act({ page }) {
      await page.getByRole('button', { name: 'Advance time' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'By' }).waitFor()
    },
  },
  { name: 'admin-report', path: (console) => pathOfRun(console, /terraform/), ...inLab, prepare: someClients },
  { name: 'admin-report-well', path: (console) => pathOfRun(console, /tidy/), ...inLab, prepare: someClients },
  {
    name: 'admin-report-cost',
    path: async (console) => `${await pathOfRun(console, /terraform/)}&cost=0.001`,
    ...inLab,
    prepare: someClients,
  },
  {
    name: 'admin-report-start',
    path: '/admin/report',
    ...inLab,
    prepare: someClients,
    async act({ page }) {
      await page.getByRole('button', { name: 'Start run' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor()
    },
  },
  {
    name: 'admin-report-empty',
    path: (console) => pathOfRun(console, /idle/),
    ...inLab,
    prepare: idleRun,
  },
]
