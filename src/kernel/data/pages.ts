/** Looks at the pages of a database file on a thread and a connection of its own, so that nobody waits for it. */
import { Exhausted, SideThread } from '../process/side-thread.ts'

interface Looked {
  readonly path: string
}

/** The program of the thread lies beside this module, as source or as its own file of the bundle. */
const name = import.meta.url.endsWith('.ts') ? './pages-thread.ts' : './pages-thread.js'
const program = new URL(name, import.meta.url)
/** The most processor time of a look, in milliseconds. */
const limitMs = 8_000

/** `ok`, or what is wrong with them; undefined for a file that is too large for a quick look. */
export async function lookAtPages(path: string): Promise<string | undefined> {
  const thread = new SideThread<Looked, string>(program, { limitMs, idleMs: 0 })
  try {
    return await thread.run({ path })
  } catch (error) {
    if (error instanceof Exhausted) return undefined
    throw error
  }
}
