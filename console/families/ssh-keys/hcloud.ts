/** SSH keys for the hcloud command line. */
import { type Forms, labelsOf, noOption, usual } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...usual('ssh-key', { fingerprint: noOption }),
  create: {
    words: ['ssh-key', 'create'],
    fields: { name: '--name', public_key: '--public-key', labels: '--label' },
  },
  update: { words: ['ssh-key', 'update', '{id}'], fields: { name: '--name', labels: labelsOf('ssh-key') } },
}
