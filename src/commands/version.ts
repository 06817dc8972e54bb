import { migrations } from '../migrations/index.ts'
import { version } from '../version.ts'

/** The line that says the version of the program, and the last migration that it knows. */
export const versionLine = `wolke ${version} (schema ${migrations.at(-1)?.id})`
