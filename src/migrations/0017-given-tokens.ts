/** Tells the token that `wolke serve --token` gave from those that were made, so that the next one can replace it. */
import type { Migration } from '../kernel/data/migrate.ts'

export const givenTokens: Migration = {
  id: '0017-given-tokens',
  statements: ['alter table token add column given integer not null default 0'],
}
