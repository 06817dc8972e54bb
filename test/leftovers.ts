/** Finds out what tests leave behind: a run has a temporary folder of its own, which has to be empty in the end. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Names the folder, for those who must know that nobody chose it. */
export const RUN_FOLDER_VARIABLE = 'WOLKE_TEST_FOLDER'

const checkout = join(import.meta.dirname, '..')
/** How long helpers that outlive a test may take to tidy up, in milliseconds: they remove their files once it is gone. */
const patienceMs = 10_000

/** Makes the folder that everything started from now on uses. What it returns removes it and names what was left. */
export function watchLeftovers(): () => Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-run-'))
  // As open as the folder that it stands for: PostgreSQL runs under another account.
  chmodSync(folder, 0o1777)
  const chosen = process.env.TMPDIR
  process.env.TMPDIR = folder
  process.env[RUN_FOLDER_VARIABLE] = folder
  const before = new Set(readdirSync(checkout))
  return async () => {
    for (const end = performance.now() + patienceMs; readdirSync(folder).length > 0 && performance.now() < end; ) {
      await delay(50)
    }
    const left = readdirSync(folder).map((name) => join(folder, name))
    // The bundle is made by the first test that runs it, and kept.
    const made = readdirSync(checkout).filter((name) => !before.has(name) && name !== 'dist')
    rmSync(folder, { recursive: true })
    if (chosen === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = chosen
    return [...left, ...made.map((name) => join(checkout, name))]
  }
}
