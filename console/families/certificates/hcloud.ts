/** Certificates for the hcloud command line. */
import { actionForms, type Forms, labelsOf, noOption, since, usual } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('certificate', { type: noOption }),
  create: {
    words: ['certificate', 'create'],
    fields: {
      name: '--name',
      labels: since(50, '--label'),
      type: '--type',
      certificate: (text) => ({ flag: ['--cert-file', 'certificate.pem'], files: { 'certificate.pem': text } }),
      private_key: (text) => ({ flag: ['--key-file', 'private-key.pem'], files: { 'private-key.pem': text } }),
      domain_names: '--domain',
    },
  },
  update: {
    words: ['certificate', 'update', '{id}'],
    fields: { name: '--name', labels: labelsOf('certificate') },
  },
  retry: { words: ['certificate', 'retry', '{id}'], fields: {}, since: 47 },
}
