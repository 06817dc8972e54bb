import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  volume_already_attached: 'The volume is attached to a server already.',
} satisfies Partial<Record<FailureCode, string>>
