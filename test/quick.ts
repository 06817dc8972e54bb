/**
 * The quick tests: everything on SQLite but attacks, processes of the program and real clients. They share as few
 * processes as there are cores, because a process takes longer to load the program than most files take to test it.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { watchLeftovers } from './leftovers.ts'

const processes = availableParallelism()
const files = ['src/**/*.test.ts', 'test/*.test.ts']

const leftNothing = watchLeftovers()
const started = performance.now()
const codes = await Promise.all(Array.from({ length: processes }, (_, i) => runShare(i + 1)))
const failed = !(await leftNothing()) || codes.some((code) => code !== 0)
console.log(`${failed ? 'Failed' : 'Passed'} after ${((performance.now() - started) / 1_000).toFixed()} s`)
process.exitCode = failed ? 1 : 0

/** Runs one share of the files. Its output is printed after its end, so that the output of shares does not mix. */
async function runShare(share: number): Promise<number | null> {
  const options = ['--test', '--test-isolation=none', `--test-shard=${share}/${processes}`]
  const child = spawn(process.execPath, [...options, ...files], {
    env: { ...process.env, WOLKE_TEST_DATABASES: 'sqlite' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('SIGTERM', () => child.kill())
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  process.stdout.write(await text(child.stdout))
  return ended
}
