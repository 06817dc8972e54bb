/** Rows of the spec's tables of fields, as data (spec: Resources and their fields), as of the newest change. */
import { specRows } from '../../kit/proofs.ts'
import type { FieldsRow } from './rows.ts'

const general: readonly FieldsRow[] = [
  {
    resource: 'Pagination object (`meta.pagination`)',
    key: 'meta.pagination',
    fields: {
      page: 'integer',
      per_page: 'integer',
      previous_page: 'integer or null',
      next_page: 'integer or null',
      last_page: 'integer or null',
      total_entries: 'integer or null',
    },
  },
]

export const fieldRows: readonly FieldsRow[] = [...specRows('fields'), ...general]

/** An expression of a label selector, with labels that it selects and sets of labels that it does not. */
export const selectorRows = [
  { expression: 'k==v or k=v', as: ['k==v', 'k=v'], selects: { k: 'v' }, not: [{ k: 'w' }] },
  { expression: 'k!=v', as: ['k!=v'], selects: { k: 'w' }, not: [{ k: 'v' }, {}] },
  { expression: 'k', as: ['k'], selects: { k: '' }, not: [{ l: 'v' }] },
  { expression: '!k', as: ['!k'], selects: { l: 'v' }, not: [{ k: 'v' }] },
  { expression: 'k in (v1,v2,v3)', as: ['k in (v1,v2,v3)'], selects: { k: 'v2' }, not: [{ k: 'v4' }] },
  { expression: 'k notin (v1,v2,v3)', as: ['k notin (v1,v2,v3)'], selects: { k: 'v4' }, not: [{ k: 'v2' }, {}] },
  { expression: 'k1==v,!k2', as: ['k1==v,!k2'], selects: { k1: 'v' }, not: [{ k1: 'v', k2: 'v' }] },
] as const
