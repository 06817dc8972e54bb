/** The program of the thread that looks at the pages of a database file; the bundle has it as a file of its own. */
import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../process/side-thread.ts'

serveThread(({ path }: { readonly path: string }): string => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 })
  try {
    const found = database.prepare('pragma quick_check(1)').get() as { readonly quick_check: string }
    return found.quick_check
  } catch (error) {
    // Damage may be such that nothing can be read at all.
    return (error as Error).message
  } finally {
    database.close()
  }
})
