/** Where the console is: each server notes it at its start, for commands that print links and run beside it. */
import type { Migration } from '../kernel/data/migrate.ts'

export const consoleOrigin: Migration = {
  id: '0044-console-origin',
  statements: ['create table console_origin (id integer primary key, origin text not null)'],
}
