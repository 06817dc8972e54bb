/** Images for the hcloud command line. */
import {
  actionForms,
  type Forms,
  labelsOf,
  listed,
  noOption,
  protection,
  Refusal,
  usual,
} from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('image'),
  list: {
    words: ['image', 'list'],
    fields: {},
    query: {
      ...listed,
      type: '--type',
      architecture: '--architecture',
      status: noOption,
      bound_to: noOption,
      // hcloud always asks for them.
      include_deprecated: () => [],
    },
  },
  update: {
    words: ['image', 'update', '{id}'],
    fields: {
      description: '--description',
      // Whoever does not say the description empties it.
      type: (type, { body, known: { description } }) => {
        if (body.description !== undefined && body.description !== null) return ['--type', type]
        return description === undefined
          ? new Refusal('together', 'description')
          : ['--type', type, '--description', description]
      },
      labels: labelsOf('image'),
    },
  },
  changeProtection: { words: [], fields: protection('image', ['delete']) },
}
