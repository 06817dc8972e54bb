/** Networks for the hcloud command line. */
import {
  actionForms,
  type Forms,
  ignored,
  labelsOf,
  later,
  noCommand,
  ofMade,
  protection,
  since,
  usual,
} from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('network'),
  create: {
    words: ['network', 'create'],
    fields: {
      name: '--name',
      ip_range: '--ip-range',
      labels: '--label',
      subnets: later,
      routes: later,
      expose_routes_to_vswitch: '--expose-routes-to-vswitch',
    },
    rest: ({ body: { name, subnets, routes } }) =>
      ofMade(name, [
        ...(subnets ?? []).map((body) => ({ operation: 'networks_addSubnet', body })),
        ...(routes ?? []).map((body) => ({ operation: 'networks_addRoute', body })),
      ]),
  },
  update: {
    words: ['network', 'update', '{id}'],
    fields: {
      name: '--name',
      labels: labelsOf('network'),
      expose_routes_to_vswitch: (value, { params: { id } }) => {
        const options = value ? [] : ['--disable']
        return { commands: [{ verb: 'network expose-routes-to-vswitch', options, own: [String(id)] }] }
      },
    },
  },
  addSubnet: {
    words: ['network', 'add-subnet', '{id}'],
    fields: {
      type: '--type',
      network_zone: '--network-zone',
      ip_range: '--ip-range',
      vswitch_id: '--vswitch-id',
      gateway: ignored,
    },
  },
  deleteSubnet: { words: ['network', 'remove-subnet', '{id}'], fields: { ip_range: '--ip-range' } },
  addRoute: {
    words: ['network', 'add-route', '{id}'],
    fields: { destination: '--destination', gateway: '--gateway' },
  },
  deleteRoute: {
    words: ['network', 'remove-route', '{id}'],
    fields: { destination: '--destination', gateway: '--gateway' },
  },
  changeIpRange: { words: ['network', 'change-ip-range', '{id}'], fields: { ip_range: '--ip-range' } },
  changeProtection: { words: [], fields: protection('network', ['delete']) },
  listMembers: noCommand,
  attachToNetwork: {
    words: ['server', 'attach-to-network', '{id}'],
    fields: { network: '--network', ip: '--ip', ip_range: since(55, '--ip-range'), alias_ips: '--alias-ips' },
  },
  detachFromNetwork: { words: ['server', 'detach-from-network', '{id}'], fields: { network: '--network' } },
  changeAliasIps: {
    words: ['server', 'change-alias-ips', '{id}'],
    fields: {
      network: '--network',
      alias_ips: (ips) => (ips.length === 0 ? ['--clear'] : ips.flatMap((ip) => ['--alias-ips', ip])),
    },
  },
}
