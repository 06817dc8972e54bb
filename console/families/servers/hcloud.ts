/** Servers for the hcloud command line. */
import {
  actionForms,
  type Forms,
  labelsOf,
  metricsQuery,
  noOption,
  positional,
  protection,
  since,
  usual,
  type Words,
} from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

const simple = (verb: string) => ({ words: ['server', verb, '{id}'], fields: {} })

interface PublicNet {
  readonly enable_ipv4?: boolean
  readonly enable_ipv6?: boolean
  readonly ipv4?: number | null
  readonly ipv6?: number | null
}

function publicNet({ enable_ipv4, enable_ipv6, ipv4, ipv6 }: PublicNet): Words {
  return [
    ...(ipv4 ? ['--primary-ipv4', String(ipv4)] : []),
    ...(ipv6 ? ['--primary-ipv6', String(ipv6)] : []),
    ...(enable_ipv4 === false ? ['--without-ipv4'] : []),
    ...(enable_ipv6 === false ? ['--without-ipv6'] : []),
  ]
}

const userData = (input: string) => (input === '' ? [] : { flag: ['--user-data-from-file', '-'], input })

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('server', { status: noOption }),
  create: {
    words: ['server', 'create'],
    fields: {
      name: '--name',
      server_type: '--type',
      image: '--image',
      location: '--location',
      datacenter: noOption,
      ssh_keys: '--ssh-key',
      volumes: '--volume',
      automount: (value) => (value ? ['--automount'] : []),
      networks: '--network',
      firewalls: (given) => given.flatMap(({ firewall }) => ['--firewall', String(firewall)]),
      placement_group: '--placement-group',
      user_data: userData,
      labels: '--label',
      start_after_create: (value) => (value ? [] : ['--start-after-create=false']),
      public_net: publicNet,
    },
    afterwards: { servers_enableBackup: ['--enable-backup'] },
  },
  update: { words: ['server', 'update', '{id}'], fields: { name: '--name', labels: labelsOf('server') } },
  powerOn: simple('poweron'),
  powerOff: simple('poweroff'),
  shutDown: simple('shutdown'),
  reboot: simple('reboot'),
  reset: simple('reset'),
  enableBackup: simple('enable-backup'),
  disableBackup: simple('disable-backup'),
  disableRescue: simple('disable-rescue'),
  resetPassword: simple('reset-password'),
  requestConsole: simple('request-console'),
  detachIso: simple('detach-iso'),
  removeFromPlacementGroup: simple('remove-from-placement-group'),
  metrics: { words: ['server', 'metrics', '{id}'], fields: {}, query: metricsQuery },
  changeType: {
    words: ['server', 'change-type', '{id}'],
    fields: { server_type: positional, upgrade_disk: (value) => (value ? [] : ['--keep-disk']) },
  },
  enableRescue: {
    words: ['server', 'enable-rescue', '{id}'],
    fields: { type: '--type', ssh_keys: '--ssh-key' },
  },
  createImage: {
    words: ['server', 'create-image', '{id}'],
    fields: { type: '--type', description: '--description', labels: '--label' },
    defaults: { type: 'snapshot' },
  },
  rebuild: {
    words: ['server', 'rebuild', '{id}'],
    fields: { image: '--image', user_data: since(61, userData) },
  },
  attachIso: { words: ['server', 'attach-iso', '{id}'], fields: { iso: positional } },
  addToPlacementGroup: {
    words: ['server', 'add-to-placement-group', '{id}'],
    fields: { placement_group: '--placement-group' },
  },
  changeProtection: { words: [], fields: protection('server', ['delete', 'rebuild']) },
}
