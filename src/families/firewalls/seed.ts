/** Firewalls in seed files. */
import type { Fields, Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  parts: {
    apply_to: {
      by: 'apply_to_resources',
      field: 'apply_to',
      body: (target) => ({ apply_to: [target] }),
      each: ['type', 'server', 'label_selector'],
      isCreated: true,
      undo: 'remove_from_resources',
    },
  },
  release: ({ applied_to }) =>
    applied_to.map((target: Fields) => ({ by: 'remove_from_resources', body: { remove_from: [target] } })),
  entry: ({ rules, applied_to, labels }) => ({
    rules,
    apply_to: applied_to.map(({ type, server, label_selector }: Fields) => ({ type, server, label_selector })),
    labels,
  }),
}
