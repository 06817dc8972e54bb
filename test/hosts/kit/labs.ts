/** Labs for the tests of a run, which are there until it ends, however it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareReleases, buildBare } from '../../../lab/bare/build.ts'
import { within } from '../../../lab/labs.ts'

const main = join(import.meta.dirname, '../../../lab/main.ts')
/** The lab tells where it is, and goes when nobody is there any longer to write to it. */
const waiting = 'echo "$WOLKE_LAB"; read -r _ || true'

export interface StartedLab {
  /** The command line that runs one in the lab. */
  within(command: readonly string[]): readonly [string, ...string[]]
  /** Ends all that runs there. */
  end(): Promise<void>
}

/** Starts a lab. Errors: one when it does not come up; it has said why on standard error. */
export async function startLab(): Promise<StartedLab> {
  // There is no way out of a lab to what bare machines are made of.
  for (const release of bareReleases) await buildBare(release)
  const lab = spawn(process.execPath, [main, 'run', 'sh', '-euc', waiting], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // What ends this process by a signal of the terminal lets it end its labs.
    detached: true,
  })
  const ended = once(lab, 'exit')
  // One that a signal has ended hears nothing more.
  lab.stdin.on('error', () => undefined)
  let path = ''
  for await (path of createInterface({ input: lab.stdout })) break
  if (path === '') throw new Error('a lab did not come up')
  const enter = within(basename(dirname(path)), [])
  return {
    within: (command) => [...enter, ...command],
    async end() {
      lab.stdin.end()
      await ended
    },
  }
}
