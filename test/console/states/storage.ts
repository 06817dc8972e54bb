/** The pages of Storage Boxes. */
import type { Console } from '../kit/harness.ts'
import { pageOf, someKeys } from './resources.ts'
import type { PageState } from './states.ts'

export const boxPassword = '1-secret-PASSW0RD-=)'

/** A box with a plan, two snapshots and two subaccounts, and one that nobody gets into. */
export async function someBoxes(console: Console): Promise<void> {
  const { api, world } = console
  const body = { storage_box_type: 'bx11', location: 'fsn1', password: boxPassword }
  await someKeys(console)
  const made = await api.post('/storage_boxes', {
    ...body,
    name: 'backups',
    labels: { env: 'prod' },
    access_settings: { ssh_enabled: true, webdav_enabled: true, reachable_externally: true },
  })
  await api.post('/storage_boxes', { ...body, name: 'closed' })
  await world.settle()
  const path = `/storage_boxes/${made.body.storage_box.id}`
  for (const description of ['before the move', 'after it']) {
    await api.post(`${path}/snapshots`, { description })
    await world.settle()
  }
  for (const home of ['team/web', 'team/mail']) {
    await api.post(`${path}/subaccounts`, {
      home_directory: home,
      password: boxPassword,
      name: home.slice('team/'.length),
      access_settings: { ssh_enabled: true, readonly: home === 'team/mail' },
    })
    await world.settle()
  }
  await api.post(`${path}/actions/enable_snapshot_plan`, { max_snapshots: 7, hour: 3, minute: 30, day_of_week: 1 })
  await world.settle()
}

const boxes = { prepare: someBoxes } as const
const box =
  (tab = '') =>
  async (console: Console) =>
    `${await pageOf('storage_boxes', 'backups')(console)}${tab}`.replace('storage_boxes', 'storage-boxes')
const dialog =
  (name: RegExp) =>
  ({ page }: Console) =>
    page.getByRole('dialog', { name }).waitFor()

const second = 1_000
const minute = 60 * second

/** What a folder has in it, of each kind, and with names as people have them. */
function someFiles() {
  const file = (name: string, kind: string, size: number, agoMs: number) => ({
    name,
    path: `letters/${name}`,
    kind,
    size,
    modified: new Date(Date.now() - agoMs).toISOString().replace(/\.\d+/, ''),
  })
  return [
    file('2025', 'directory', 4_096, 40 * 24 * 60 * minute),
    file('Photos of the summer', 'directory', 4_096, 5 * minute),
    file('current', 'link', 11, 90 * second),
    file('database-2026-11-27T03-30-00.sql.zst', 'file', 734_003_200, 20 * 60 * minute),
    file('letter to the authorities, with all enclosures (final, corrected, signed).pdf', 'file', 2_411_724, minute),
    file('notes.txt', 'file', 512, 2 * second),
  ]
}

/** A folder of a box as a server answers that keeps files; whatever is sent into it stays on its way. */
const letters = async (console: Console) => {
  await console.page.route(/\/storage_boxes\/\d+\/files/, async (route) => {
    if (route.request().method() !== 'GET') return
    const files = someFiles()
    const pagination = {
      page: 1,
      per_page: 50,
      previous_page: null,
      next_page: null,
      last_page: 1,
      total_entries: files.length,
    }
    await route.fulfill({ json: { files, meta: { pagination } } })
  })
  return box('/files?path=letters')(console)
}

export const storageStates: readonly PageState[] = [
  { name: 'boxes', path: 'P/storage-boxes', ...boxes },
  { name: 'boxes-empty', path: 'P/storage-boxes' },
  { name: 'box-new', path: 'P/storage-boxes/new', ...boxes },
  { name: 'box-new-viewer', path: 'P/storage-boxes/new', role: 'viewer', ...boxes },
  { name: 'box', path: box(), ...boxes },
  {
    name: 'box-type',
    path: box(),
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Change type' }).click()
      await dialog(/Change the type/)(console)
    },
  },
  {
    name: 'box-password',
    path: box(),
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Set a new password' }).click()
      await dialog(/new password/)(console)
    },
  },
  { name: 'box-files', path: box('/files'), ...boxes },
  { name: 'box-files-folder', path: box('/files?path=team%2Fweb'), ...boxes },
  { name: 'box-files-listed', path: letters, ...boxes },
  {
    name: 'box-files-upload',
    path: letters,
    ...boxes,
    async act({ page }) {
      const files = ['scan.tiff', 'report.odt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(100_000),
      }))
      await page.getByLabel('Upload files').first().setInputFiles(files)
      await page.getByRole('button', { name: 'Stop the upload of report.odt' }).waitFor()
    },
  },
  {
    name: 'box-files-many',
    path: letters,
    ...boxes,
    async act({ page }) {
      const files = Array.from({ length: 30 }, (_, index) => ({
        name: `scan-${index}.tiff`,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(1_000),
      }))
      await page.getByLabel('Upload files').first().setInputFiles(files)
      await page.getByText('0 of 30 done').waitFor()
    },
  },
  {
    name: 'box-files-move',
    path: letters,
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Actions for notes.txt' }).click()
      await console.page.getByRole('menuitem', { name: 'Rename or move' }).click()
      await dialog(/^Rename or move/)(console)
    },
  },
  { name: 'box-snapshots', path: box('/snapshots'), ...boxes },
  {
    name: 'box-snapshots-plan',
    path: box('/snapshots'),
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Change the plan' }).click()
      await dialog(/Change the plan/)(console)
    },
  },
  {
    name: 'box-snapshots-rollback',
    path: box('/snapshots'),
    ...boxes,
    async act(console) {
      const { page } = console
      await page
        .getByRole('button', { name: /^Actions for \d{4}-/ })
        .last()
        .click()
      await page.getByRole('menuitem', { name: 'Roll back to it' }).click()
      await dialog(/^Roll backups back/)(console)
    },
  },
  { name: 'box-subaccounts', path: box('/subaccounts'), ...boxes },
  {
    name: 'box-subaccounts-new',
    path: box('/subaccounts'),
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Create subaccount' }).first().click()
      await dialog(/Create a subaccount/)(console)
    },
  },
  {
    name: 'box-subaccounts-access',
    path: box('/subaccounts'),
    ...boxes,
    async act(console) {
      await console.page.getByRole('button', { name: 'Actions for web' }).click()
      await console.page.getByRole('menuitem', { name: 'Change access' }).click()
      await dialog(/Change how web/)(console)
    },
  },
  { name: 'box-access', path: box('/access'), ...boxes },
  { name: 'box-activity', path: box('/activity'), ...boxes },
]
