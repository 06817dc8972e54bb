/** What all migrations lead to on SQLite. The bundle has it as it was when that was made. */
import { resultOn } from '../kernel/data/migrate.ts'
import { openDatabase } from '../kernel/data/open.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { migrations } from './index.ts'

const db = await openDatabase({ engine: 'sqlite', path: ':memory:' }, { clock: runningClock() })
/** The statements that make a new database. */
export const result = await resultOn(db, migrations)
await db.close()
