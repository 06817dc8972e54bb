/** The forms of keys, placement groups, uploaded certificates, networks and firewalls. */
import { selfSigned } from '../../../kit/samples/certificates.ts'
import { publicKey } from '../../kit/clients.ts'
import { button, form, nasty, on, protect, type Step, shared } from './steps.ts'

const key = publicKey()
export const upload = selfSigned('www.example.com')

export const alone: readonly Step[] = [
  form('ssh-keys/add-dialog.tsx Form', () => ({
    operation: 'ssh_keys_create',
    body: { name: nasty, public_key: key },
  })),
  ...shared('ssh_keys', nasty),
  form('placement-groups/list.tsx CreateDialog', () => ({
    operation: 'placement_groups_create',
    body: { name: nasty, type: 'spread', labels: { tier: 'front' } },
  })),
  ...shared('placement_groups', nasty),
  form(
    'certificates/upload.tsx UploadPage',
    () => ({
      operation: 'certificates_create',
      body: { name: nasty, type: 'uploaded', ...upload, labels: { tier: 'front' } },
    }),
    { secrets: { private_key: upload.private_key } },
  ),
  ...shared('certificates', nasty),
]

export const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.0.0/24' }

export const networks: readonly Step[] = [
  form('networks/new.tsx NewNetworkPage', () => ({
    operation: 'networks_create',
    body: {
      name: nasty,
      ip_range: '10.0.0.0/16',
      subnets: [subnet],
      labels: { tier: 'front' },
    },
  })),
  form('networks/new.tsx NewNetworkPage', () => ({
    operation: 'networks_create',
    body: {
      name: 'second',
      ip_range: '10.2.0.0/16',
      subnets: [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.2.0.0/24' }],
    },
  })),
  ...shared('networks', nasty),
  ...protect('networks', nasty),
  form('networks/dialogs.tsx SubnetDialog', (of) =>
    on(of, 'networks', nasty, 'addSubnet', { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }),
  ),
  form('networks/dialogs.tsx RouteDialog', (of) =>
    on(of, 'networks', nasty, 'addRoute', { destination: '10.100.0.0/16', gateway: '10.0.1.9' }),
  ),
  form('networks/detail.tsx NetworkPage', (of) =>
    on(of, 'networks', nasty, 'deleteRoute', { destination: '10.100.0.0/16', gateway: '10.0.1.9' }),
  ),
  form('networks/detail.tsx NetworkPage', (of) =>
    on(of, 'networks', nasty, 'deleteSubnet', { ip_range: '10.0.1.0/24' }),
  ),
  form('networks/dialogs.tsx ExtendDialog', (of) =>
    on(of, 'networks', nasty, 'changeIpRange', { ip_range: '10.0.0.0/15' }),
  ),
  button((of) => on(of, 'networks', nasty, 'update', { expose_routes_to_vswitch: true })),
  form('networks/detail.tsx NetworkPage', (of) =>
    on(of, 'networks', nasty, 'update', { expose_routes_to_vswitch: false }),
  ),
]

const rules = [
  { direction: 'in', protocol: 'tcp', port: '22', source_ips: ['0.0.0.0/0', '::/0'], description: nasty },
  { direction: 'in', protocol: 'icmp', source_ips: ['10.0.0.0/8'] },
] as const

export const firewalls: readonly Step[] = [
  form('firewalls/new.tsx Summary', () => ({
    operation: 'firewalls_create',
    body: {
      name: nasty,
      labels: { tier: 'front' },
      rules,
      apply_to: [{ type: 'label_selector', label_selector: { selector: 'role in (web,db),!old' } }],
    },
  })),
  form('firewalls/new.tsx Summary', () => ({
    operation: 'firewalls_create',
    body: {
      name: 'outbound',
      rules: [{ direction: 'out', protocol: 'udp', port: '53', destination_ips: ['9.9.9.9/32'], description: nasty }],
    },
  })),
  ...shared('firewalls', nasty),
  form('firewalls/changes.tsx Changes', (of) =>
    on(of, 'firewalls', nasty, 'setRules', {
      rules: [
        rules[0],
        { direction: 'out', protocol: 'tcp', port: '443', destination_ips: ['0.0.0.0/0'], description: nasty },
      ],
    }),
  ),
  form('firewalls/changes.tsx Changes', (of) => on(of, 'firewalls', nasty, 'setRules', { rules: [] })),
]
