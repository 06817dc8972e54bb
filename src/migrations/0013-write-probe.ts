/** What a process writes, and takes away again, to see whether writes work. It is always empty. */
import type { Migration } from '../kernel/data/migrate.ts'

export const writeProbe: Migration = {
  id: '0013-write-probe',
  statements: ['create table write_probe (id integer primary key, filler text not null)'],
}
