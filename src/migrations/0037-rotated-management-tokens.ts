/** Names the management token that another one replaces. */
import type { Migration } from '../kernel/data/migrate.ts'

export const rotatedManagementTokens: Migration = {
  id: '0037-rotated-management-tokens',
  statements: ['alter table management_token add column rotates integer'],
}
