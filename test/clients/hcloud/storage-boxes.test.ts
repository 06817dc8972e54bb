/** The newest hcloud command line, the only one here that knows Storage Boxes, with every command it has for them. */
import { publicKey } from '../kit/clients.ts'
import {
  deletes,
  type Hcloud,
  type Json,
  leavesNothing,
  lists,
  misused,
  refused,
  type Step,
  type Story,
  says,
  shows,
  succeeds,
  tells,
  works,
} from './hcloud.ts'

const password = '1-secret-PASSW0RD-=)'
const off = {
  reachable_externally: false,
  samba_enabled: false,
  ssh_enabled: false,
  webdav_enabled: false,
  zfs_enabled: false,
}
const makes = (name: string, more = '') =>
  works(
    `storage-box create --name ${name} --type bx11 --location fsn1 --password ${password} ${more}`,
    /Storage Box \d+ created/,
    /Username: u\d+/,
  )

/** Steps about the oldest snapshot of a box, whose name is the time at which it was made. */
const withSnapshot =
  (box: string, steps: (snapshot: { id: number; name: string }) => readonly Step[]): Step =>
  async (hcloud: Hcloud) => {
    const line = `storage-box snapshot list ${box} -s id -o json`
    const [first]: Json[] = JSON.parse(await succeeds(hcloud, line))
    for (const step of steps(first)) await step(hcloud)
  }

const types: Story = {
  title: 'lists the types of Storage Boxes and describes them',
  steps: [
    lists('storage-box-type list', ['bx11', 'bx21', 'bx31', 'bx41']),
    works('storage-box-type list -o noheader -o columns=id,name,size', /^1333 bx11 1\.0 TiB 1334 bx21 5\.0 TiB/),
    shows('storage-box-type bx11', {
      id: 1333,
      snapshot_limit: 10,
      automatic_snapshot_limit: 10,
      subaccounts_limit: 100,
    }),
    shows('storage-box-type 1334', { name: 'bx21', size: 5 * 2 ** 40 }),
    works('storage-box-type describe bx11', 'Location: fsn1', 'Subaccounts Limit: 100'),
    misused('storage-box-type describe bx1', /not found: bx1/),
  ],
}

const life: Story = {
  title: 'makes, changes, protects and deletes a box',
  files: { 'key.pub': publicKey() },
  steps: [
    works('ssh-key create --name laptop --public-key-from-file key.pub'),
    makes('plain'),
    shows('storage-box plain', {
      ...{ status: 'active', access_settings: off, labels: {}, snapshot_plan: null, protection: { delete: false } },
      ...{ username: /^u\d+$/, system: /^FSN1-BX\d+$/, location: { name: 'fsn1' }, storage_box_type: { id: 1333 } },
      stats: { size: 0, size_data: 0, size_snapshots: 0 },
    }),
    makes('box', '--label env=test --enable-ssh --reachable-externally --ssh-key laptop --enable-protection delete'),
    shows('storage-box box', {
      access_settings: { ...off, ssh_enabled: true, reachable_externally: true },
      ...{ labels: { env: 'test' }, protection: { delete: true }, server: /^u\d+\..+/ },
    }),
    works('storage-box list', '{storage-box box} box {storage-box box username} {storage-box box server} bx11'),
    lists('storage-box list -s name', ['box', 'plain']),
    lists('storage-box list -s name:desc', ['plain', 'box']),
    lists('storage-box list -s id', ['plain', 'box']),
    lists('storage-box list -l env=test', ['box']),
    works('all list', 'STORAGE BOXES', '{storage-box box server}'),
    refused('storage-box delete box', 'protected', 'deletion is protected'),
    works('storage-box disable-protection box delete'),
    works('storage-box enable-protection box delete'),
    shows('storage-box box', { protection: { delete: true } }),
    works('storage-box disable-protection box delete'),
    works('storage-box update box --name store'),
    works('storage-box add-label store stage=old'),
    works('storage-box remove-label store env'),
    shows('storage-box {storage-box store}', { name: 'store', labels: { stage: 'old' } }),
    works('storage-box change-type store bx21', 'to type bx21'),
    shows('storage-box store', { storage_box_type: { name: 'bx21' } }),
    works('storage-box change-type store bx11'),
    works('storage-box update-access-settings store --enable-webdav --enable-zfs --enable-samba --enable-ssh=false'),
    shows('storage-box store', {
      access_settings: {
        ...off,
        reachable_externally: true,
        samba_enabled: true,
        webdav_enabled: true,
        zfs_enabled: true,
      },
    }),
    works(`storage-box reset-password store --password ${password}x`, 'reset'),
    deletes('storage-box', 'store', 'plain'),
    misused('storage-box describe store', /not found: store/),
    deletes('ssh-key', 'laptop'),
  ],
}

const plans: Story = {
  title: 'gives a box a plan of snapshots and takes it away',
  steps: [
    makes('planned'),
    works('storage-box enable-snapshot-plan planned --max-snapshots 7 --hour 3 --minute 30'),
    shows('storage-box planned', {
      snapshot_plan: { max_snapshots: 7, hour: 3, minute: 30, day_of_week: null, day_of_month: null },
    }),
    works('storage-box enable-snapshot-plan planned --max-snapshots 2 --hour 0 --minute 0 --day-of-week Sun'),
    shows('storage-box planned', { snapshot_plan: { max_snapshots: 2, hour: 0, minute: 0, day_of_week: 0 } }),
    works('storage-box describe planned', 'Max Snapshots: 2', 'Sunday'),
    works('storage-box enable-snapshot-plan planned --max-snapshots 2 --hour 23 --minute 59 --day-of-month 31'),
    shows('storage-box planned', { snapshot_plan: { day_of_week: null, day_of_month: 31 } }),
    refused('storage-box enable-snapshot-plan planned --max-snapshots 11 --hour 1 --minute 1', 'invalid_input'),
    works('storage-box disable-snapshot-plan planned'),
    shows('storage-box planned', { snapshot_plan: null }),
    deletes('storage-box', 'planned'),
  ],
}

const snapshots: Story = {
  title: 'makes snapshots, tells of them, rolls back to one and deletes them',
  steps: [
    makes('shot'),
    lists('storage-box snapshot list shot', []),
    works("storage-box snapshot create shot --description 'before: (a) + [b], {c}!' --label kind=first", 'created'),
    works('storage-box snapshot create shot --description second', 'created'),
    lists('storage-box snapshot list shot -s id', ['before: (a) + [b], {c}!', 'second'], 'description'),
    lists(
      'storage-box snapshot list shot -s created:desc,id:desc',
      ['second', 'before: (a) + [b], {c}!'],
      'description',
    ),
    lists('storage-box snapshot list shot -l kind=first', ['before: (a) + [b], {c}!'], 'description'),
    lists('storage-box snapshot list shot --automatic', []),
    withSnapshot('shot', ({ id, name }) => [
      says(`storage-box snapshot describe shot ${name}`, { id, name: /^\d{4}-\d\d-\d\dT/, is_automatic: false }),
      works(`storage-box snapshot update shot ${id} --description later`),
      works(`storage-box snapshot add-label shot ${name} more=1`),
      works(`storage-box snapshot remove-label shot ${name} kind`),
      says(`storage-box snapshot describe shot ${id}`, { description: 'later', labels: { more: '1' } }),
      refused(`storage-box snapshot update shot ${id} --description a~b`, 'invalid_input'),
      works(`storage-box rollback-snapshot shot --snapshot ${name}`),
      lists('storage-box snapshot list shot', ['later'], 'description'),
      works(`storage-box rollback-snapshot shot --snapshot ${id}`),
      works(`storage-box snapshot delete shot ${name}`, 'deleted'),
    ]),
    lists('storage-box snapshot list shot', []),
    misused('storage-box snapshot describe shot none', /not found: shot none/),
    deletes('storage-box', 'shot'),
  ],
}

const subaccounts: Story = {
  title: 'makes subaccounts, which are folders of the box, changes and deletes them',
  steps: [
    makes('shared'),
    works('storage-box folders shared', 'No folders found'),
    says(
      `storage-box subaccount create shared --home-directory teams/web --password ${password} --name web ` +
        "--description 'the site' --label team=web --enable-ssh --readonly --reachable-externally",
      {
        subaccount: {
          ...{ name: 'web', username: '{storage-box shared username}-sub1', home_directory: 'teams/web' },
          ...{ description: 'the site', labels: { team: 'web' }, storage_box: '{storage-box shared}' },
          access_settings: {
            ...{ readonly: true, ssh_enabled: true, reachable_externally: true },
            ...{ samba_enabled: false, webdav_enabled: false },
          },
        },
      },
    ),
    works(`storage-box subaccount create shared --home-directory mail --password ${password}`, 'created'),
    lists('storage-box subaccount list shared -s id', ['web', '{storage-box shared username}-sub2']),
    lists('storage-box subaccount list shared -l team=web', ['web']),
    says('storage-box folders shared', { folders: ['mail', 'teams'] }),
    says('storage-box folders shared --path teams', { folders: ['web'] }),
    refused('storage-box folders shared --path none', 'not_found'),
    works('storage-box subaccount update shared web --name site --description moved'),
    works('storage-box subaccount change-home-directory shared site --home-directory teams/site'),
    works('storage-box subaccount update-access-settings shared site --readonly=false --enable-webdav --enable-samba'),
    works(`storage-box subaccount reset-password shared site --password ${password}x`),
    says('storage-box subaccount describe shared site', {
      ...{ home_directory: 'teams/site', description: 'moved', labels: { team: 'web' } },
      access_settings: {
        ...{ readonly: false, ssh_enabled: true, reachable_externally: true },
        ...{ samba_enabled: true, webdav_enabled: true },
      },
    }),
    refused('storage-box subaccount change-home-directory shared site --home-directory /teams', 'invalid_input'),
    works('storage-box subaccount delete shared site'),
    lists('storage-box subaccount list shared', ['{storage-box shared username}-sub2']),
    says('storage-box folders shared --path teams', { folders: ['site', 'web'] }),
    deletes('storage-box', 'shared'),
  ],
}

const wrong: Story = {
  title: 'says what is wrong with a box that cannot be made',
  steps: [
    makes('there'),
    refused(
      `storage-box create --name there --type bx11 --location fsn1 --password ${password}`,
      'uniqueness_error',
      /already used/,
    ),
    refused('storage-box create --name x --type bx11 --location fsn1 --password short', 'invalid_input', /password/),
    refused(
      `storage-box create --name x --type bx11 --location ash --password ${password}`,
      'invalid_input',
      /location/,
    ),
    refused(`storage-box create --name x --type bx1 --location fsn1 --password ${password}`, 'invalid_input', /type/),
    refused('storage-box reset-password there --password 1-secret-password', 'invalid_input', /password/),
    deletes('storage-box', 'there'),
  ],
}

await tells(
  import.meta.filename,
  [types, life, plans, snapshots, subaccounts, wrong, leavesNothing('storage-box')],
  [],
  [
    ['newest', 'memory'],
    ['newest', 'sqlite'],
  ],
)
