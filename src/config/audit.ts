/** Options of `wolke serve` for the audit log. */
import { Option } from 'commander'
import { defaultRetentionDays } from '../kernel/audit/expiry.ts'
import { count } from './dns.ts'

export interface AuditConfig {
  /** The retention of audit log entries, in days. */
  readonly auditRetention: number
}

export function auditOptions(): Option[] {
  return [
    new Option('--audit-retention <days>', 'how long entries of the audit log are kept')
      .env('WOLKE_AUDIT_RETENTION')
      .argParser(count)
      .default(defaultRetentionDays),
  ]
}
