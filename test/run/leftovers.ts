/** Finds out what tests leave behind: a run has a temporary folder of its own, which has to be empty in the end. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Names the folder, for those who must know that nobody chose it. */
export const RUN_FOLDER_VARIABLE = 'WOLKE_TEST_FOLDER'

const checkout = join(import.meta.dirname, '../..')
/**
 * Makes the folder that everything started from now on uses. What it returns removes it, and says on standard error what was
 * left and returns false when something was, unless the tests were cut off. Helpers that outlive a test remove their files
 * once it is gone, and may take `patienceMs` for it.
 */
export function watchLeftovers(patienceMs = 60_000): (isCut?: boolean) => Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-run-'))
  // As open as the folder that it stands for: PostgreSQL runs under another account.
  chmodSync(folder, 0o1777)
  const previous = { TMPDIR: process.env.TMPDIR, [RUN_FOLDER_VARIABLE]: process.env[RUN_FOLDER_VARIABLE] }
  Object.assign(process.env, { TMPDIR: folder, [RUN_FOLDER_VARIABLE]: folder })
  const before = new Set(readdirSync(checkout))
  return async (isCut = false) => {
    const patience = isCut ? 0 : patienceMs
    for (const end = performance.now() + patience; readdirSync(folder).length > 0 && performance.now() < end; ) {
      await delay(50)
    }
    const left = readdirSync(folder).map((name) => join(folder, name))
    // The bundle is made by the first test that runs it, and kept.
    const made = readdirSync(checkout).filter((name) => !before.has(name) && name !== 'dist')
    rmSync(folder, { recursive: true })
    for (const [name, value] of Object.entries(previous)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    if (isCut) return true
    left.push(...made.map((name) => join(checkout, name)))
    if (left.length > 0) console.error(`Tests left files behind:\n  ${left.join('\n  ')}`)
    return left.length === 0
  }
}
