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
  { name: 'box-access', path: box('/access'), ...boxes },
  { name: 'box-activity', path: box('/activity'), ...boxes },
]
