/** Placement groups for the hcloud command line. */
import { type Forms, labelsOf, noOption, usual } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...usual('placement-group', { type: noOption }),
  create: {
    words: ['placement-group', 'create'],
    fields: { name: '--name', type: '--type', labels: '--label' },
  },
  update: {
    words: ['placement-group', 'update', '{id}'],
    fields: { name: '--name', labels: labelsOf('placement-group') },
  },
}
