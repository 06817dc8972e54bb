/** Public keys that people install for their subaccounts of Storage Boxes. */
import type { Migration } from '../kernel/data/migrate.ts'

export const subaccountKeys: Migration = {
  id: '0048-subaccount-keys',
  statements: [`alter table storage_box_subaccount add column ssh_keys text not null default '[]'`],
}
