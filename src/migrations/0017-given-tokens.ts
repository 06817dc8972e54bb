/** Marks the token given by `wolke serve --token`, so that the next start can replace it. */
import type { Migration } from '../kernel/data/migrate.ts'

export const givenTokens: Migration = {
  id: '0017-given-tokens',
  statements: ['alter table token add column given integer not null default 0'],
}
