/** Dated changes of the API that are about certificates. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const certificateChanges = defineChanges({
  certificate_key_sizes: {
    from: '2025-12-01',
    section: 'Certificate',
    summary: 'Public keys of certificates have one of five sizes',
  },
  certificate_size_limits: {
    from: '2026-02-01',
    section: 'Certificate',
    summary: 'Private key, chain length and chain size of certificates are limited',
  },
})
