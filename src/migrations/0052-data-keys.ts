/**
 * Keys of Projects that are replaced while they are used: what is sealed from then on is sealed with the new one. Processes
 * say which key-encryption keys they have.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const dataKeys: Migration = {
  id: '0052-data-keys',
  beside: 'expands',
  statements: [
    'alter table project_key add column created text',
    'alter table project_key add column retired text',
    'create index project_key_retired on project_key (id) where retired is not null',
    'create table key_holder (process text primary key, kek_ids text not null)',
  ],
}
