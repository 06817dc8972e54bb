/** Floating IPs for the hcloud command line. */
import {
  actionForms,
  type Forms,
  labelsOf,
  positional,
  protection,
  reverseName,
  usual,
} from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
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
  changeProtection: { words: [], fields: protection('floating-ip', ['delete']) },
}
