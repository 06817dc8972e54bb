/** A browser can have several challenges at a time, one for each of its tabs. */
import type { Migration } from '../kernel/data/migrate.ts'

export const challengesByBrowser: Migration = {
  id: '0033-challenges-by-browser',
  statements: [
    `alter table ceremony add column browser text`,
    `create index ceremony_by_browser on ceremony (browser, id)`,
  ],
}
