/**
 * Images have locations: only servers of the same hosts can be made from them. Former ones are everywhere, as their
 * locations were.
 */
import type { Migration } from '../kernel/data/migrate.ts'

export const imageLocations: Migration = {
  id: '0039-image-locations',
  statements: ['alter table image add column location integer'],
}
