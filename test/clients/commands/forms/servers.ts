/** The forms of servers and their images, and a life with these and all that servers are in. */
import { alone, firewalls, networks } from './networks.ts'
import { button, form, lines, nasty, on, protect, remove, type Step, shared } from './steps.ts'

/** Mount points are named after volumes. */
export const volume = 'data'
const server = { server_type: 'cpx22', image: 'debian-12', location: 'hel1' }

const ofServers: readonly Step[] = [
  form('volumes/new.tsx NewVolumePage', () => ({
    operation: 'volumes_create',
    body: { name: volume, size: 10, location: 'hel1', format: 'ext4', labels: { tier: 'front' } },
  })),
  form('servers/new.tsx NewServerPage', (of) => [
    {
      operation: 'servers_create',
      body: {
        name: 'web-1',
        ...server,
        ssh_keys: [of.id('ssh_keys', nasty)],
        volumes: [of.id('volumes', volume)],
        automount: true,
        firewalls: [{ firewall: of.id('firewalls', nasty) }],
        networks: [of.id('networks', nasty)],
        placement_group: of.id('placement_groups', nasty),
        labels: { role: 'web', 'example.com/tier': '' },
        user_data: lines(nasty),
      },
      afterwards: ['servers_enableBackup'],
    },
  ]),
  form('servers/new.tsx NewServerPage', () =>
    ['db-1', 'db-2'].map((name) => ({
      operation: 'servers_create',
      body: { name, ...server, user_data: nasty, public_net: { enable_ipv4: true, enable_ipv6: false } },
    })),
  ),
  form('shared/rename-dialog.tsx RenameDialog', (of) => on(of, 'servers', 'db-2', 'update', { name: 'db-3' })),
  form(
    'servers/tabs/settings.tsx SettingsTab',
    (of) => on(of, 'servers', 'db-3', 'update', { name: 'db-2', labels: { role: 'db' } }),
    {
      labels: () => ({}),
    },
  ),
  form(
    'servers/labels-dialog.tsx LabelsDialog',
    (of) => on(of, 'servers', 'web-1', 'update', { labels: { role: 'web', more: 'x' } }),
    {
      labels: (of) => of.one('servers', 'web-1').labels,
    },
  ),
  ...protect('servers', 'web-1', 'rebuild'),
  form('servers/firewalls-dialog.tsx FirewallsDialog', (of) =>
    on(of, 'firewalls', 'outbound', 'applyToResources', {
      apply_to: ['web-1', 'db-1'].map((name) => ({ type: 'server', server: { id: of.id('servers', name) } })),
    }),
  ),
  form('firewalls/resources.tsx ResourcesTab', (of) =>
    on(of, 'firewalls', 'outbound', 'removeFromResources', {
      remove_from: [{ type: 'server', server: { id: of.id('servers', 'web-1') } }],
    }),
  ),
  form('firewalls/resources.tsx ApplyDialog', (of) =>
    on(of, 'firewalls', 'outbound', 'applyToResources', {
      apply_to: [{ type: 'label_selector', label_selector: { selector: 'role in (db),!old' } }],
    }),
  ),
  form(
    'networks/dialogs.tsx AttachDialog',
    (of) =>
      on(of, 'servers', 'db-1', 'update') && {
        operation: 'networks_attachToNetwork',
        params: { id: of.id('servers', 'db-1') },
        body: { network: of.id('networks', nasty), ip: '10.0.0.9' },
      },
  ),
  form('networks/dialogs.tsx AliasDialog', (of) => ({
    operation: 'networks_changeAliasIps',
    params: { id: of.id('servers', 'db-1') },
    body: { network: of.id('networks', nasty), alias_ips: ['10.0.0.10', '10.0.0.11'] },
  })),
  form('networks/dialogs.tsx AliasDialog', (of) => ({
    operation: 'networks_changeAliasIps',
    params: { id: of.id('servers', 'db-1') },
    body: { network: of.id('networks', nasty), alias_ips: [] },
  })),
  form('shared/attach-dialog.tsx AttachDialog', (of) => ({
    operation: 'networks_attachToNetwork',
    params: { id: of.id('servers', 'db-2') },
    body: { network: of.id('networks', nasty) },
  })),
  form('networks/detail.tsx NetworkPage', (of) => ({
    operation: 'networks_detachFromNetwork',
    params: { id: of.id('servers', 'db-1') },
    body: { network: of.id('networks', nasty) },
  })),
  form('servers/tabs/networks-card.tsx DetachDialog', (of) => ({
    operation: 'networks_detachFromNetwork',
    params: { id: of.id('servers', 'db-2') },
    body: { network: of.id('networks', nasty) },
  })),
  form('servers/tabs/change-dialogs.tsx ChangeDialogs', (of) => on(of, 'servers', 'db-1', 'requestConsole')),
  form('servers/tabs/change-dialogs.tsx ChangeDialogs', (of) => on(of, 'servers', 'db-1', 'resetPassword')),
  form('servers/tabs/change-dialogs.tsx RescueDialog', (of) =>
    on(of, 'servers', 'db-1', 'enableRescue', { ssh_keys: [of.id('ssh_keys', nasty)] }),
  ),
  form('servers/tabs/change-dialogs.tsx ChangeDialogs', (of) => on(of, 'servers', 'db-1', 'disableRescue')),
  form('servers/tabs/change-dialogs.tsx RescueDialog', (of) => on(of, 'servers', 'db-2', 'enableRescue', {})),
  form('servers/tabs/change-dialogs.tsx IsoDialog', (of) =>
    on(of, 'servers', 'db-1', 'attachIso', { iso: 'systemrescuecd-x86-5.2.2.iso' }),
  ),
  form('servers/tabs/change-dialogs.tsx IsoDialog', (of) => on(of, 'servers', 'db-1', 'detachIso')),
  ...(['reboot', 'reset', 'shutDown'] as const).map((act) =>
    form('servers/dialogs.tsx CutDialog', (of) => ['db-1', 'db-2'].map((name) => on(of, 'servers', name, act))),
  ),
  ...(['JoinGroupDialog', 'MembershipDialog'] as const).map((dialog, index) =>
    form(`placement-groups/members.tsx ${dialog}`, (of) =>
      on(of, 'servers', `db-${index + 1}`, 'addToPlacementGroup', {
        placement_group: of.id('placement_groups', nasty),
      }),
    ),
  ),
  ...(['LeaveGroupDialog', 'MembershipDialog'] as const).map((dialog, index) =>
    form(`placement-groups/members.tsx ${dialog}`, (of) =>
      on(of, 'servers', `db-${index + 1}`, 'removeFromPlacementGroup'),
    ),
  ),
  // A new place starts them.
  form('servers/dialogs.tsx CutDialog', (of) => ['db-1', 'db-2'].map((name) => on(of, 'servers', name, 'powerOff'))),
  form('servers/tabs/change-dialogs.tsx ChangeDialogs', (of) =>
    on(of, 'servers', 'db-1', 'changeType', { server_type: 'cpx32', upgrade_disk: false }),
  ),
  form('servers/tabs/change-dialogs.tsx ChangeDialogs', (of) =>
    on(of, 'servers', 'db-2', 'changeType', { server_type: 'cpx32', upgrade_disk: true }),
  ),
  form('servers/dialogs.tsx CutDialog', (of) => on(of, 'servers', 'db-1', 'powerOff')),
  button((of) => on(of, 'servers', 'db-1', 'powerOn')),
  form('servers/dialogs.tsx CutDialog', (of) => on(of, 'servers', 'db-1', 'powerOff')),
  form('servers/tabs/rebuild-dialog.tsx RebuildDialog', (of) =>
    on(of, 'servers', 'db-2', 'rebuild', { image: 'debian-12' }),
  ),
]

const images: readonly Step[] = [
  form('servers/tabs/backups-dialogs.tsx BackupsDialogs', (of) => on(of, 'servers', 'db-1', 'enableBackup')),
  form('servers/tabs/backups-dialogs.tsx TakeDialog', (of) =>
    on(of, 'servers', 'db-1', 'createImage', { type: 'snapshot', description: nasty }),
  ),
  form('servers/tabs/backups-dialogs.tsx TakeDialog', (of) =>
    on(of, 'servers', 'db-1', 'createImage', { type: 'backup', description: 'kept' }),
  ),
  form('servers/tabs/backups-dialogs.tsx TakeDialog', (of) =>
    on(of, 'servers', 'db-1', 'createImage', { type: 'backup', description: 'also kept' }),
  ),
  form('servers/tabs/backups-dialogs.tsx BackupsDialogs', (of) =>
    on(of, 'images', 'kept', 'update', { type: 'snapshot' }),
  ),
  form('images/acts.tsx KeepDialog', (of) => on(of, 'images', 'also kept', 'update', { type: 'snapshot' })),
  ...shared('images', nasty, 'description'),
  ...protect('images', nasty),
  form('servers/tabs/rebuild-dialog.tsx RebuildDialog', (of) =>
    on(of, 'servers', 'db-1', 'rebuild', { image: of.id('images', nasty) }),
  ),
  form('servers/tabs/backups-dialogs.tsx BackupsDialogs', (of) => on(of, 'images', 'kept', 'remove')),
  form('servers/tabs/backups-dialogs.tsx BackupsDialogs', (of) => on(of, 'servers', 'db-1', 'disableBackup')),
  remove('images', 'also kept'),
]

/** What is left of it, in an order in which nothing is in use. */
const ends: readonly Step[] = [
  form('servers/dialogs.tsx DeleteDialog', (of) =>
    ['web-1', 'db-1', 'db-2'].map((name) => on(of, 'servers', name, 'remove')),
  ),
  remove('volumes', volume),
  form('firewalls/resources.tsx ResourcesTab', (of) =>
    on(of, 'firewalls', nasty, 'removeFromResources', {
      remove_from: [{ type: 'label_selector', label_selector: { selector: 'role in (web,db),!old' } }],
    }),
  ),
  ...(['firewalls', 'networks', 'placement_groups', 'ssh_keys', 'certificates'] as const).map((family) =>
    remove(family, nasty),
  ),
]

export const servers: readonly Step[] = [...alone, ...networks, ...firewalls, ...ofServers, ...images, ...ends]
