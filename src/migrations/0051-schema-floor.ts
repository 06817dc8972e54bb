import { floorMigration, type Migration } from '../kernel/data/migrate.ts'

/** Which programs may use the database, for those that do not know the migrations after them. */
export const schemaFloor: Migration = {
  id: floorMigration,
  statements: ['create table schema_floor (id integer primary key, known integer not null)'],
}
