/**
 * Console sessions record who asked, so that the right is checked again. Sessions from before are not opened any more.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const askersOfConsoles: Migration = {
  id: '0040-askers-of-consoles',
  statements: ['alter table console_session add column asker text'],
}
