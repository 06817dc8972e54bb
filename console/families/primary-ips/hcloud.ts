/** Primary IPs for the hcloud command line. */
import {
  actionForms,
  type Forms,
  flag,
  ignored,
  labelsOf,
  noOption,
  noValue,
  protection,
  reverseName,
  since,
  usual,
} from '../../commands/hcloud/forms.ts'
import { optionOf } from '../../commands/hcloud/options.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
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
  changeProtection: { words: [], fields: { ...protection('primary-ip', ['delete']), ID: ignored } },
}
