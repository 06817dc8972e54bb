import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  incorrect_zone_mode: 'The zone is copied from elsewhere, so it cannot be changed here.',
} satisfies Partial<Record<FailureCode, string>>
