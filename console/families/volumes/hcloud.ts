/** Volumes for the hcloud command line. */
import { actionForms, type Forms, labelsOf, noOption, noValue, protection, usual } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('volume', { status: noOption }),
  create: {
    words: ['volume', 'create'],
    fields: {
      name: '--name',
      size: '--size',
      location: (value, { body }) => (body.server ? noValue : ['--location', String(value)]),
      server: '--server',
      automount: (value) => (value ? ['--automount'] : []),
      format: '--format',
      labels: '--label',
    },
  },
  update: { words: ['volume', 'update', '{id}'], fields: { name: '--name', labels: labelsOf('volume') } },
  attach: {
    words: ['volume', 'attach', '{id}'],
    fields: { server: '--server', automount: (value) => (value ? ['--automount'] : []) },
  },
  detach: { words: ['volume', 'detach', '{id}'], fields: {} },
  resize: { words: ['volume', 'resize', '{id}'], fields: { size: '--size' } },
  changeProtection: { words: [], fields: protection('volume', ['delete']) },
}
