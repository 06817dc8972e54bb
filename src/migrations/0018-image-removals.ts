/** A deleted image leaves its table; what is noted is that its data is still to be removed. */
import type { Migration } from '../kernel/data/migrate.ts'

export const imageRemovals: Migration = {
  id: '0018-image-removals',
  statements: [
    `create table image_removal (
      id integer primary key,
      project_id integer not null,
      server_id integer not null
    )`,
    `insert into image_removal (id, project_id, server_id)
      select id, project_id, created_from_id from image where status = 'deleted'`,
    `drop index image_deleted`,
    `delete from image where status = 'deleted'`,
  ],
}
