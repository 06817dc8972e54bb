/** The forms of Storage Boxes, of their snapshots and of their subaccounts. */
import { publicKey } from '../../kit/clients.ts'
import type { Life } from './life.ts'
import { form, nasty, on, protect, remove, type Step, shared } from './steps.ts'

const password = '1-secret-PASSW0RD-=)'
const secrets = { password }
const box = 'backups'
const labels = { tier: 'front', 'example.com/kept': '' }

/** A request about the box. */
const ofBox = (of: Life, act: string, body?: object) => on(of, 'storage_boxes', box, act, body)

/** A request about a part of the box, by the family of such parts. */
const ofPart = (of: Life, family: 'snapshots' | 'subaccounts', named: string, act: string, body?: object) => ({
  operation: `storage_boxes_${act}`,
  params: {
    id: of.id('storage_boxes', box),
    [family === 'snapshots' ? 'snapshot_id' : 'subaccount_id']: of.id(family, named),
  },
  ...(body ? { body } : {}),
})

const made: readonly Step[] = [
  form(
    'storage-boxes/new.tsx NewBoxPage',
    () => ({
      operation: 'storage_boxes_create',
      body: {
        name: box,
        location: 'fsn1',
        storage_box_type: 'bx11',
        password,
        ssh_keys: [publicKey()],
        access_settings: { ssh_enabled: true, reachable_externally: true },
        labels,
      },
    }),
    { secrets },
  ),
  ...shared('storage_boxes', box),
  ...protect('storage_boxes', box),
  form('storage-boxes/dialogs.tsx TypeDialog', (of) => ofBox(of, 'changeType', { storage_box_type: 'bx21' })),
  form('storage-boxes/dialogs.tsx PasswordDialog', (of) => ofBox(of, 'resetPassword', { password }), { secrets }),
  form('storage-boxes/access.tsx Settings', (of) =>
    ofBox(of, 'updateAccessSettings', {
      reachable_externally: false,
      samba_enabled: false,
      ssh_enabled: true,
      webdav_enabled: true,
      zfs_enabled: true,
    }),
  ),
]

const description = 'before: <a> + (b) # [c], {d}!'

const snapshots: readonly Step[] = [
  ...['first', 'second'].map((description) =>
    form('storage-boxes/snapshot-dialogs.tsx MakeDialog', (of) => ofBox(of, 'createSnapshot', { description, labels })),
  ),
  form(
    'storage-boxes/snapshot-dialogs.tsx EditDialog',
    (of) => ofPart(of, 'snapshots', 'first', 'updateSnapshot', { description, labels: { more: '1' } }),
    { labels: (of) => of.one('snapshots', 'first').labels },
  ),
  form('storage-boxes/snapshot-dialogs.tsx RollBackDialog', (of) =>
    ofBox(of, 'rollbackSnapshot', { snapshot: of.id('snapshots', description) }),
  ),
  form('storage-boxes/plan-dialogs.tsx PlanDialog', (of) =>
    ofBox(of, 'enableSnapshotPlan', { max_snapshots: 7, hour: 3, minute: 30, day_of_week: 1, day_of_month: null }),
  ),
  form('storage-boxes/plan-dialogs.tsx PlanDialog', (of) =>
    ofBox(of, 'enableSnapshotPlan', { max_snapshots: 2, hour: 0, minute: 0, day_of_week: null, day_of_month: 31 }),
  ),
  form('storage-boxes/plan-dialogs.tsx NoPlanDialog', (of) => ofBox(of, 'disableSnapshotPlan')),
  form('storage-boxes/snapshot-dialogs.tsx DeleteDialog', (of) =>
    ofPart(of, 'snapshots', description, 'removeSnapshot'),
  ),
]

const inDialogs = (component: string) => `storage-boxes/subaccount-dialogs.tsx ${component}`

const subaccounts: readonly Step[] = [
  form(
    'storage-boxes/subaccount-new.tsx CreateDialog',
    (of) =>
      ofBox(of, 'createSubaccount', {
        home_directory: 'team/web',
        password,
        name: 'web',
        description: nasty,
        access_settings: { ssh_enabled: true, readonly: true },
        labels,
      }),
    { secrets },
  ),
  form(
    inDialogs('EditDialog'),
    (of) => ofPart(of, 'subaccounts', 'web', 'updateSubaccount', { name: 'shop', description: nasty, labels }),
    { labels: (of) => of.one('subaccounts', 'web').labels },
  ),
  form(inDialogs('HomeDialog'), (of) =>
    ofPart(of, 'subaccounts', 'shop', 'changeHomeDirectory', { home_directory: 'team/my shop' }),
  ),
  form(inDialogs('AccessDialog'), (of) =>
    ofPart(of, 'subaccounts', 'shop', 'updateSubaccountAccess', {
      reachable_externally: true,
      readonly: false,
      samba_enabled: false,
      ssh_enabled: true,
      webdav_enabled: true,
    }),
  ),
  form(
    inDialogs('PasswordDialog'),
    (of) => ofPart(of, 'subaccounts', 'shop', 'resetSubaccountPassword', { password }),
    { secrets },
  ),
  form(inDialogs('DeleteDialog'), (of) => ofPart(of, 'subaccounts', 'shop', 'removeSubaccount')),
]

export const boxes: readonly Step[] = [...made, ...snapshots, ...subaccounts, remove('storage_boxes', box)]
