/**
 * Invitations record the management token that made them. Earlier ones are withdrawn: nothing says which token it was.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const inviters: Migration = {
  id: '0034-inviters',
  statements: [
    'delete from invitation where inviter_id is null',
    'alter table invitation add column inviter_token integer',
  ],
}
