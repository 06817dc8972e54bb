/** Storage Boxes, their snapshots and their subaccounts for the hcloud command line. */
import {
  actionForms,
  type Context,
  type Forms,
  labelsOf,
  noCommand,
  noOption,
  positional,
  protection,
  Refusal,
  refuseAll,
  usual,
  type Words,
} from '../../commands/hcloud/forms.ts'
import { optionOf } from '../../commands/hcloud/options.ts'
import type { Contract } from './contract.ts'

/** The minor version that was the first to have these commands. */
const since = 55

const inSnapshot = ['id', 'snapshot_id']
const snapshot = ['{id}', '{snapshot_id}']
const subaccount = ['{id}', '{subaccount_id}']

/** An option that is said for false as well: what is left out stays as it is. */
const either = (option: string) => (isOn: boolean) => [isOn ? option : `${option}=false`]

const flags = {
  reachable_externally: either('--reachable-externally'),
  readonly: either('--readonly'),
  samba_enabled: either('--enable-samba'),
  ssh_enabled: either('--enable-ssh'),
  webdav_enabled: either('--enable-webdav'),
  zfs_enabled: either('--enable-zfs'),
}
const { readonly: _readonly, ...boxFlags } = flags
const { zfs_enabled: _zfs, ...subaccountFlags } = flags

const access = (given: Readonly<Partial<Record<keyof typeof flags, boolean>>>): Words =>
  Object.entries(given).flatMap(([flag, isOn]) => (isOn ? flags[flag as keyof typeof flags](true) : []))

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const orNothing = (option: string) => (value: number | null) => (value === null ? [] : [option, String(value)])

/** An empty description is what there is without the option. */
const description = (text: string, _: Context<unknown>): Words => (text === '' ? [] : optionOf('--description', text))

/** hcloud gives a subaccount its labels when it makes it, and has no command that changes them. */
function labelsKept(wanted: Readonly<Record<string, string>>, { known: { labels } }: Context<unknown>): Words {
  if (!labels) return new Refusal('labels')
  const isSame = Object.keys({ ...labels, ...wanted }).every((key) => labels[key] === wanted[key])
  return isSame ? [] : noOption
}

const parts = { sort: '--sort', label_selector: '--selector', name: noOption }

const { list, get, remove } = usual('storage-box')

const boxes = {
  list: { ...list, since },
  get: { ...get, since },
  remove: { ...remove, since },
  create: {
    words: ['storage-box', 'create'],
    fields: {
      name: '--name',
      location: '--location',
      storage_box_type: '--type',
      password: '--password',
      ssh_keys: (keys) => keys.flatMap((key) => ['--ssh-key', key]),
      access_settings: access,
      labels: '--label',
    },
    since,
  },
  update: {
    words: ['storage-box', 'update', '{id}'],
    fields: { name: '--name', labels: labelsOf('storage-box') },
    since,
  },
  folders: {
    words: ['storage-box', 'folders', '{id}'],
    fields: {},
    query: { path: (path) => (path === '' ? [] : optionOf('--path', path)) },
    since,
  },
  changeProtection: { words: [], fields: protection('storage-box', ['delete']), since },
  changeType: { words: ['storage-box', 'change-type', '{id}'], fields: { storage_box_type: positional }, since },
  resetPassword: { words: ['storage-box', 'reset-password', '{id}'], fields: { password: '--password' }, since },
  updateAccessSettings: { words: ['storage-box', 'update-access-settings', '{id}'], fields: boxFlags, since },
} satisfies Partial<Forms<Contract>>

const snapshots = {
  listSnapshots: {
    words: ['storage-box', 'snapshot', 'list', '{id}'],
    fields: {},
    query: { ...parts, is_automatic: either('--automatic') },
    since,
  },
  createSnapshot: {
    words: ['storage-box', 'snapshot', 'create', '{id}'],
    fields: { description, labels: '--label' },
    since,
  },
  getSnapshot: { words: ['storage-box', 'snapshot', 'describe', ...snapshot], fields: {}, since },
  updateSnapshot: {
    words: ['storage-box', 'snapshot', 'update', ...snapshot],
    fields: { description: '--description', labels: labelsOf('storage-box snapshot', inSnapshot) },
    since,
  },
  removeSnapshot: { words: ['storage-box', 'snapshot', 'delete', ...snapshot], fields: {}, since },
  rollbackSnapshot: {
    words: ['storage-box', 'rollback-snapshot', '{id}'],
    fields: { snapshot: '--snapshot' },
    since,
  },
  enableSnapshotPlan: {
    words: ['storage-box', 'enable-snapshot-plan', '{id}'],
    fields: {
      max_snapshots: '--max-snapshots',
      minute: '--minute',
      hour: '--hour',
      day_of_week: (day) => ['--day-of-week', weekdays[day - 1]!],
      day_of_month: orNothing('--day-of-month'),
    },
    since,
  },
  disableSnapshotPlan: { words: ['storage-box', 'disable-snapshot-plan', '{id}'], fields: {}, since },
} satisfies Partial<Forms<Contract>>

const subaccounts = {
  listSubaccounts: {
    words: ['storage-box', 'subaccount', 'list', '{id}'],
    fields: {},
    query: { ...parts, username: noOption },
    since,
  },
  createSubaccount: {
    words: ['storage-box', 'subaccount', 'create', '{id}'],
    fields: {
      home_directory: '--home-directory',
      password: '--password',
      name: '--name',
      description,
      access_settings: access,
      labels: '--label',
    },
    since,
  },
  getSubaccount: { words: ['storage-box', 'subaccount', 'describe', ...subaccount], fields: {}, since },
  updateSubaccount: {
    words: ['storage-box', 'subaccount', 'update', ...subaccount],
    fields: {
      name: '--name',
      description: '--description',
      labels: labelsKept,
    },
    since,
  },
  removeSubaccount: { words: ['storage-box', 'subaccount', 'delete', ...subaccount], fields: {}, since },
  changeHomeDirectory: {
    words: ['storage-box', 'subaccount', 'change-home-directory', ...subaccount],
    fields: { home_directory: '--home-directory' },
    since,
  },
  resetSubaccountPassword: {
    words: ['storage-box', 'subaccount', 'reset-password', ...subaccount],
    fields: { password: '--password' },
    since,
  },
  updateSubaccountAccess: {
    words: ['storage-box', 'subaccount', 'update-access-settings', ...subaccount],
    fields: subaccountFlags,
    since,
  },
} satisfies Partial<Forms<Contract>>

/** The files themselves are reached by the doors, which hcloud does not know. */
const files = refuseAll(
  [
    'getDoors',
    'getUsage',
    'listFiles',
    'downloadFile',
    'uploadFile',
    'uploadPiece',
    'removeUpload',
    'createFolder',
    'renameFile',
    'removeFile',
  ],
  noCommand,
)

export const hcloud: Forms<Contract> = { ...actionForms, ...files, ...boxes, ...snapshots, ...subaccounts }
