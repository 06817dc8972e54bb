/** A table that is always empty: the health check inserts and deletes a row to test whether writes work. */
import type { Migration } from '../kernel/data/migrate.ts'

export const writeProbe: Migration = {
  id: '0013-write-probe',
  statements: ['create table write_probe (id integer primary key, filler text not null)'],
}
