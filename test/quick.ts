/**
 * The quick tests: everything on SQLite but attacks, processes of the program and real clients. They share a few
 * processes, because a process takes longer to load the program than most files take to test it.
 */
import { spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { watchLeftovers } from './leftovers.ts'

/** One more than there are cores: while a test waits, another works. */
const processes = availableParallelism() + 1
const files = globSync(['src/**/*.test.ts', 'test/*.test.ts'])

const leftNothing = watchLeftovers()
const started = performance.now()
const codes = await Promise.all(shares(files).map(runShare))
const failed = !(await leftNothing()) || codes.some((code) => code !== 0)
console.log(`${failed ? 'Failed' : 'Passed'} after ${((performance.now() - started) / 1_000).toFixed()} s`)
process.exitCode = failed ? 1 : 0

/** As many shares as there are processes, of about the same size: large files take longer. */
function shares(files: readonly string[]): string[][] {
  const made = Array.from({ length: processes }, () => ({ size: 0, files: [] as string[] }))
  const sized = files.map((file) => ({ file, size: statSync(file).size })).sort((a, b) => b.size - a.size)
  for (const { file, size } of sized) {
    const smallest = made.reduce((a, b) => (b.size < a.size ? b : a))
    smallest.files.push(file)
    smallest.size += size
  }
  return made.map(({ files }) => files)
}

/** Runs one share of the files. Its output is printed after its end, so that the output of shares does not mix. */
async function runShare(files: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', ...files], {
    env: { ...process.env, WOLKE_TEST_DATABASES: 'sqlite' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('SIGTERM', () => child.kill())
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  process.stdout.write(await text(child.stdout))
  return ended
}
