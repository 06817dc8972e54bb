/** The forms of volumes and addresses, and one life of a Project with everything. */
import { balancers } from './balancers.ts'
import { alone, firewalls, networks } from './networks.ts'
import { images, servers, volume } from './servers.ts'
import { form, nasty, on, protect, remove, type Step, shared } from './steps.ts'

const volumes: readonly Step[] = [
  ...shared('volumes', volume),
  ...protect('volumes', volume),
  form('volumes/acts.tsx DetachDialog', (of) => on(of, 'volumes', volume, 'detach')),
  form('volumes/dialogs.tsx ResizeDialog', (of) => on(of, 'volumes', volume, 'resize', { size: 20 })),
  form('volumes/dialogs.tsx AttachDialog', (of) =>
    on(of, 'volumes', volume, 'attach', { server: of.id('servers', 'web-1'), automount: true }),
  ),
  form('volumes/new.tsx NewVolumePage', (of) => ({
    operation: 'volumes_create',
    body: { name: 'bound', size: 10, server: of.id('servers', 'web-1'), automount: false },
  })),
  form('volumes/acts.tsx DetachDialog', (of) => on(of, 'volumes', 'bound', 'detach')),
  remove('volumes', 'bound'),
]

const addresses: readonly Step[] = [
  form('addresses/dialogs.tsx CreateDialog', () => ({
    operation: 'floating_ips_create',
    body: { type: 'ipv4', name: nasty, labels: { tier: 'front' }, home_location: 'hel1' },
  })),
  form('addresses/dialogs.tsx CreateDialog', (of) => ({
    operation: 'floating_ips_create',
    body: { type: 'ipv6', name: 'six', server: of.id('servers', 'web-1') },
  })),
  form('addresses/dialogs.tsx CreateDialog', () => ({
    operation: 'primary_ips_create',
    body: { type: 'ipv4', name: nasty, labels: { tier: 'front' }, location: 'hel1', auto_delete: false },
  })),
  form('addresses/dialogs.tsx CreateDialog', () => ({
    operation: 'primary_ips_create',
    body: { type: 'ipv6', name: 'goes', location: 'hel1', auto_delete: true },
  })),
  form('servers/dialogs.tsx CutDialog', (of) => on(of, 'servers', 'db-1', 'powerOff')),
  // The server is off and has no address of this version.
  form('addresses/dialogs.tsx CreateDialog', (of) => ({
    operation: 'primary_ips_create',
    body: {
      type: 'ipv6',
      name: 'six',
      assignee_id: of.id('servers', 'db-1'),
      assignee_type: 'server',
      auto_delete: false,
    },
  })),
  form('addresses/dialogs.tsx UnassignDialog', (of) => on(of, 'primary_ips', 'six', 'unassign')),
  form('addresses/dialogs.tsx AssignDialog', (of) =>
    on(of, 'primary_ips', 'six', 'assign', { assignee_id: of.id('servers', 'db-1'), assignee_type: 'server' }),
  ),
  form('addresses/dialogs.tsx AssignDialog', (of) =>
    on(of, 'floating_ips', nasty, 'assign', { server: of.id('servers', 'db-2') }),
  ),
  form('addresses/dialogs.tsx UnassignDialog', (of) => on(of, 'floating_ips', nasty, 'unassign')),
  ...(['floating_ips', 'primary_ips'] as const).flatMap((family) => [
    ...shared(family, nasty),
    ...protect(family, nasty),
    ...['www.example.com', null].map((name) =>
      form('addresses/dialogs.tsx NamesDialog', (of) =>
        on(of, family, nasty, 'changeDnsPtr', { ip: of.one(family, nasty).ip, dns_ptr: name }),
      ),
    ),
    remove(family, nasty),
  ]),
]

export const resources: readonly Step[] = [
  ...alone,
  ...networks,
  ...firewalls,
  ...servers,
  ...images,
  ...volumes,
  ...addresses,
  ...balancers,
]

/** What is left of it, in an order in which nothing is in use. */
export const ends: readonly Step[] = [
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
