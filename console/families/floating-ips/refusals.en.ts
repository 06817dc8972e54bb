import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  floating_ip_assigned: 'The Floating IP is assigned. Unassign it first.',
} satisfies Partial<Record<FailureCode, string>>
