import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  placement_group_member_limit_reached: 'The placement group is full.',
} satisfies Partial<Record<FailureCode, string>>
