/** Networks and public addresses for the hcloud command line. */
import type { floatingIpEndpoints } from '../../../src/families/floating-ips/contract.ts'
import type { networkEndpoints } from '../../../src/families/networks/contract.ts'
import type { memberEndpoints } from '../../../src/families/networks/members/contract.ts'
import type { primaryIpEndpoints } from '../../../src/families/primary-ips/contract.ts'
import {
  actionForms,
  type Forms,
  flag,
  ignored,
  labelsOf,
  later,
  noCommand,
  noOption,
  noValue,
  ofMade,
  positional,
  protection,
  reverseName,
  since,
  usual,
} from './forms.ts'
import { optionOf } from './options.ts'

const deletion = (kind: string) => protection(kind, ['delete'])

export const networks: Forms<typeof networkEndpoints & typeof memberEndpoints> = {
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
  changeProtection: { words: [], fields: deletion('network') },
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

export const primaryIps: Forms<typeof primaryIpEndpoints> = {
  ...actionForms,
  ...usual('primary-ip', { ip: noOption }),
  create: {
    words: ['primary-ip', 'create'],
    fields: {
      name: '--name',
      type: '--type',
      assignee_id: '--assignee-id',
      assignee_type: ignored,
      location: (value, { body }) => (body.assignee_id ? noValue : { since: 59, words: optionOf('--location', value) }),
      datacenter: noOption,
      auto_delete: since(48, flag('--auto-delete')),
      // Older versions have the option and do not send it.
      labels: since(48, '--label'),
    },
  },
  update: {
    words: ['primary-ip', 'update', '{id}'],
    fields: {
      // Older versions switch off what is not said.
      name: (name, { body }) => {
        const words = ['--name', name]
        return typeof body.auto_delete === 'boolean' ? words : { since: 40, words }
      },
      auto_delete: '--auto-delete',
      labels: labelsOf('primary-ip'),
    },
  },
  assign: {
    words: ['primary-ip', 'assign', '{id}'],
    fields: { assignee_id: '--server', assignee_type: ignored, ID: ignored },
  },
  unassign: { words: ['primary-ip', 'unassign', '{id}'], fields: {} },
  changeDnsPtr: { words: ['primary-ip', 'set-rdns', '{id}'], fields: { ...reverseName, ID: ignored } },
  changeServerDnsPtr: { words: ['server', 'set-rdns', '{id}'], fields: reverseName },
  changeProtection: { words: [], fields: { ...deletion('primary-ip'), ID: ignored } },
}

export const floatingIps: Forms<typeof floatingIpEndpoints> = {
  ...actionForms,
  ...usual('floating-ip'),
  create: {
    words: ['floating-ip', 'create'],
    fields: {
      type: '--type',
      home_location: '--home-location',
      server: '--server',
      description: '--description',
      labels: '--label',
      name: '--name',
    },
  },
  update: {
    words: ['floating-ip', 'update', '{id}'],
    fields: { name: '--name', description: '--description', labels: labelsOf('floating-ip') },
  },
  assign: { words: ['floating-ip', 'assign', '{id}'], fields: { server: positional } },
  unassign: { words: ['floating-ip', 'unassign', '{id}'], fields: {} },
  changeDnsPtr: { words: ['floating-ip', 'set-rdns', '{id}'], fields: reverseName },
  changeProtection: { words: [], fields: deletion('floating-ip') },
}
