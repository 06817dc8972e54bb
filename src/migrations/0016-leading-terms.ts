/** The term of a selector by which the servers that it may match are found out from their labels. */
import type { Migration } from '../kernel/data/migrate.ts'

export const leadingTerms: Migration = {
  id: '0016-leading-terms',
  statements: [
    `alter table firewall_application add column leading_term text not null default ''`,
    // A selector of one positive term is that term in its normal form; the others stay with those that any label may meet.
    `update firewall_application set leading_term = selector_key
      where selector_key not like '%,%' and selector_key not like '% %' and selector_key not like '%!%'`,
    `drop index firewall_application_by_selector`,
    `create index firewall_application_by_term on firewall_application (project_id, leading_term, id)
      where selector is not null`,
  ],
}
