/**
 * Runs the tests. Attacks, the console in a browser, the package that is published and idle connections take four times as
 * long as all others, so they run with `--all` only, as in CI; `--quick` also leaves out processes of the program and real
 * clients. Small files share a process, because a process takes longer to load the program than most files take to test
 * it; each file of the other folders has its own. Ends with the failed tests and one summary in the form of Node.js.
 */
import { spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve as resolvePath } from 'node:path'
import { text } from 'node:stream/consumers'
import { globalSetup, globalTeardown } from './global-setup.ts'

/** One more than there are cores: while a test waits, another works. */
const workers = availableParallelism() + 1
/** Processes for files that mostly wait, for a balancer's clock or until a client asks again, and leave the cores alone. */
const waiters = 2
const isQuick = process.argv.includes('--quick')
const isAll = process.argv.includes('--all')
const small = globSync(['src/**/*.test.ts', 'test/*.test.ts'])
/** These take minutes each; one that began late would end alone, while the other cores have nothing to do. */
const longest = [
  'test/console/every-state',
  'test/attacks/coverage',
  'test/console/flows',
  'test/program/package',
  'test/console/server-tabs',
  'test/console/resources',
  'test/console/unsaved',
  'test/attacks/interrupted-actions',
  'test/console/servers',
  'test/clients/terraform',
  'test/clients/hcloud-servers',
  'test/load-balancers/embedded-process',
].map((file) => `${file}.test.ts`)
/** How many times longer these files take than others of their size. */
const slow: Readonly<Record<string, number>> = {
  'src/pages/reference.test.ts': 80,
  'src/pages/openapi.test.ts': 10,
  'test/calendar.test.ts': 4,
  'test/connections.test.ts': 4,
  'test/plans.test.ts': 10,
  'test/spec.test.ts': 7,
}
/** Then attacks and the console, which take long, and clients, which mostly wait. */
const large = isQuick
  ? []
  : bySize(globSync('test/*/*.test.ts').filter(isWanted)).sort((a, b) => urgency(b) - urgency(a))
const [waiting, working] = [large.filter(isWaiting), large.filter((file) => !isWaiting(file))].map((files) =>
  files.map((file) => [file]),
) as [string[][], string[][]]
working.push(...shares(small, 2 * workers))

/** Each process loads the same program, which takes half as long when another one has compiled it. */
const env = { ...process.env, NODE_COMPILE_CACHE: resolvePath('node_modules/.cache/compiled') }

const started = performance.now()
const failures: string[] = []
const counts = new Map<string, number>()
const durations: { readonly files: readonly string[]; readonly seconds: number }[] = []
await globalSetup()
try {
  await Promise.all([
    ...Array.from({ length: workers }, () => runBatches(working, waiting)),
    ...Array.from({ length: waiters }, () => runBatches(waiting)),
  ])
} finally {
  await globalTeardown()
}
report()

/** Tests of hosts run in a lab: `npm run test:hosts`. */
function isWanted(file: string): boolean {
  if (file.startsWith('test/hosts/')) return false
  return isAll || !/^test\/(attacks|console)\/|\/(package|load-balancers\/idle)\.test/.test(file)
}

function isWaiting(file: string): boolean {
  return /^test\/(clients|load-balancers)\//.test(file)
}

/** What changes the networks of a machine ends the requests of browsers on it, so it has networks and mounts of its own. */
function inOwnNetworks(files: readonly string[]): readonly string[] {
  const isPossible = process.getuid?.() === 0 && files.some((file) => file.includes('/haproxy-'))
  const mounts = 'mount -t sysfs sysfs /sys && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns'
  return isPossible
    ? ['unshare', '--net', '--mount', 'sh', '-c', `${mounts} && ip link set lo up && exec "$@"`, 'sh']
    : []
}

function urgency(file: string): number {
  if (longest.includes(file)) return 100 - longest.indexOf(file)
  const folders = ['test/program', 'test/load-balancers', 'test/clients', 'test/console', 'test/attacks']
  return folders.indexOf(dirname(file))
}

function bySize(files: readonly string[]): string[] {
  return files.toSorted((a, b) => statSync(b).size - statSync(a).size)
}

/** Shares that take about as long as each other; those of the longest files come first. */
function shares(files: readonly string[], count: number): string[][] {
  const made = Array.from({ length: count }, () => ({ size: 0, files: [] as string[] }))
  const sizeOf = (file: string) => statSync(file).size * (slow[file] ?? 1)
  for (const file of files.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    const smallest = made.reduce((a, b) => (b.size < a.size ? b : a))
    smallest.files.push(file)
    smallest.size += sizeOf(file)
  }
  return made.map(({ files }) => files)
}

/** Runs what is left, of the first queue while it has any. */
async function runBatches(...queues: string[][][]): Promise<void> {
  const next = () => queues.find((queue) => queue.length > 0)?.shift()
  for (let batch = next(); batch; batch = next()) await runBatch(batch)
}

/** The output of a batch is printed after its end, so that the output of batches does not mix. */
async function runBatch(files: readonly string[]): Promise<void> {
  const began = performance.now()
  const node = [process.execPath, 'test/batch.ts', ...files]
  const [command = '', ...args] = [...inOwnNetworks(files), ...node]
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => void child.kill()
  process.once('SIGTERM', stop)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = await text(child.stdout)
  const code = await ended
  process.off('SIGTERM', stop)
  durations.push({ files, seconds: (performance.now() - began) / 1000 })
  const [passed = '', failed] = output.split(/^✖ failing tests:$/m)
  process.stdout.write(passed.replaceAll(/^ℹ .*\n/gm, ''))
  for (const [, what, count] of output.matchAll(/^ℹ (\w+) (\d+)$/gm)) {
    counts.set(what!, (counts.get(what!) ?? 0) + Number(count))
  }
  // What goes wrong after its test has ended is in notes only.
  const notes = passed.match(/^ℹ Error: .*\n/gm) ?? []
  if (failed !== undefined || code !== 0) {
    failures.push(failed ?? `\n${files.join(' ')} ended with ${code}\n`, ...notes)
  }
}

function report(): void {
  const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, 20)
  for (const { files, seconds } of slowest)
    console.log(`${seconds.toFixed().padStart(4)} s ${files.join(' ').slice(0, 100)}`)
  if (failures.length > 0) console.log(`✖ failing tests:\n${failures.join('')}`)
  for (const [what, count] of counts) console.log(`ℹ ${what} ${count}`)
  console.log(`ℹ duration_ms ${(performance.now() - started).toFixed()}`)
  if (failures.length > 0) process.exitCode = 1
}
