/** The leading term of a selector, by which the selectors that may match a server are found from its labels. */
import type { Migration } from '../kernel/data/migrate.ts'

export const leadingTerms: Migration = {
  id: '0016-leading-terms',
  statements: [
    `alter table firewall_application add column leading_term text not null default ''`,
    // A selector with a single positive term is that term in normal form; all others may match any label.
    `update firewall_application set leading_term = selector_key
      where selector_key not like '%,%' and selector_key not like '% %' and selector_key not like '%!%'`,
    `drop index firewall_application_by_selector`,
    `create index firewall_application_by_term on firewall_application (project_id, leading_term, id)
      where selector is not null`,
  ],
}
