import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  firewall_already_applied: 'The firewall is applied to it already.',
  firewall_managed_by_label_selector: 'A label selector applies the firewall to it. Change the labels or the selector.',
  firewall_resource_not_found: 'The firewall is not applied to it.',
} satisfies Partial<Record<FailureCode, string>>
