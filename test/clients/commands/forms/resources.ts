/** The forms of volumes and addresses, and a life with these and Load Balancers. */
import { balancers } from './balancers.ts'
import { subnet, upload } from './networks.ts'
import { volume } from './servers.ts'
import { button, form, nasty, on, protect, remove, type Step, shared } from './steps.ts'

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

const server = { server_type: 'cpx22', image: 'debian-12', location: 'hel1' }

/** What the others need to be there. */
const prelude: readonly Step[] = [
  button(() => ({ operation: 'certificates_create', body: { name: nasty, type: 'uploaded', ...upload } }), {
    secrets: { private_key: upload.private_key },
  }),
  button(() => ({ operation: 'networks_create', body: { name: nasty, ip_range: '10.0.0.0/16', subnets: [subnet] } })),
  button(() => ({ operation: 'volumes_create', body: { name: volume, size: 10, location: 'hel1', format: 'ext4' } })),
  button((of) => ({
    operation: 'servers_create',
    body: {
      name: 'web-1',
      ...server,
      networks: [of.id('networks', nasty)],
      volumes: [of.id('volumes', volume)],
      labels: { role: 'web' },
    },
  })),
  button(() =>
    ['db-1', 'db-2'].map((name) => ({
      operation: 'servers_create',
      body: { name, ...server, start_after_create: false, public_net: { enable_ipv4: true, enable_ipv6: false } },
    })),
  ),
]

export const disksAndAddresses: readonly Step[] = [...prelude, ...volumes, ...addresses, ...balancers]
