/** Who asked for a console: it is asked again whether they still may. Whatever was asked for before is not opened any more. */
import type { Migration } from '../kernel/data/migrate.ts'

export const askersOfConsoles: Migration = {
  id: '0040-askers-of-consoles',
  statements: ['alter table console_session add column asker text'],
}
