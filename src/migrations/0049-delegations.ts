/** What the parents of zones say of them. */
import type { Migration } from '../kernel/data/migrate.ts'

export const delegations: Migration = {
  id: '0049-delegations',
  statements: [
    `alter table zone add column delegated text not null default '[]'`,
    `alter table zone add column delegation_status text not null default 'unknown'`,
    `alter table zone add column delegation_checked text`,
    `alter table zone add column delegation_due integer not null default 0`,
    `create index zone_by_delegation_due on zone (delegation_due)`,
  ],
}
