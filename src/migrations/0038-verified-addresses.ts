/**
 * Since when it is known whose the address of a person is, and whether an invitation went by mail. Of earlier people it is
 * known of those who administer the installation and of those whose identity provider made the account. All others count as
 * not verified: whoever shows first that the address is theirs gets the account alone.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const verifiedAddresses: Migration = {
  id: '0038-verified-addresses',
  statements: [
    'alter table person add column verified text',
    `update person set verified = created where installation_role = 'admin' or exists (
      select 1 from credential
      where credential.person_id = person.id and credential.kind = 'oidc' and credential.created = person.created
    )`,
    'alter table invitation add column mailed integer not null default 0',
  ],
}
