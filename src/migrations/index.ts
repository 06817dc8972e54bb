/** All migrations, oldest first. */
import type { Migration } from '../kernel/data/migrate.ts'
import * as list from './list.ts'

/** The place that a name stands for. */
const placeOf = ([name]: readonly [string, Migration]) => Number(name.slice(1))

export const migrations: readonly Migration[] = Object.entries(list)
  .sort((a, b) => placeOf(a) - placeOf(b))
  .map(([, migration]) => migration)
