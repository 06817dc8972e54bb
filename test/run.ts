/**
 * Runs the tests. Attacks, the console in a browser, the package that is published and idle connections take four times as
 * long as all others, so they run with `--all` only, as in CI; `--quick` also leaves out processes of the program and real
 * clients. Small files share a process, because a process takes longer to load the program than most files take to test
 * it; each file of the other folders has its own. `--hosts` runs those of hosts instead, one after the other, in a lab.
 * A test that fails is run once more alone (docs/flaky.md). Ends with the failed tests and one summary in the form of Node.js.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve as resolvePath } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Failure, keepFlaky, mostFlaky } from './flaky.ts'
import { globalSetup, globalTeardown } from './global-setup.ts'

const isHosts = process.argv.includes('--hosts')
/** One more than there are cores: while a test waits, another works. */
const workers = isHosts ? 1 : availableParallelism() + 1
/** Processes for files that mostly wait, for a balancer's clock or until a client asks again, and leave the cores alone. */
const waiters = 2
const isQuick = process.argv.includes('--quick')
const isAll = process.argv.includes('--all')
const small = isHosts ? [] : globSync(['src/**/*.test.ts', 'test/*.test.ts'])
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
  : bySize(globSync('test/*/*.test.ts').filter(isHosts ? isOfHosts : isWanted)).sort((a, b) => urgency(b) - urgency(a))
const [waiting, working] = [large.filter(isWaiting), large.filter((file) => !isWaiting(file))].map((files) =>
  files.map((file) => [file]),
) as [string[][], string[][]]
if (small.length > 0) working.push(...shares(small, 2 * workers))

/** Each process loads the same program, which takes half as long when another one has compiled it. */
const env = { ...process.env, NODE_COMPILE_CACHE: resolvePath('node_modules/.cache/compiled') }

/** What became of a batch. */
interface Outcome {
  readonly files: readonly string[]
  readonly isGood: boolean
  /** By what the summary of Node.js calls them. */
  readonly counts: Map<string, number>
  /** Empty too when the process ended before its tests. */
  readonly failures: readonly Failure[]
  /** The report of what failed. */
  readonly report: string
  readonly seconds: number
}

const started = performance.now()
const running = new Set<ChildProcess>()
const outcomes: Outcome[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
await globalSetup()
let flaky: readonly Failure[] = []
try {
  await Promise.all([
    ...Array.from({ length: workers }, () => runBatches(working, waiting)),
    ...Array.from({ length: waiters }, () => runBatches(waiting)),
  ])
  flaky = await findFlaky()
} finally {
  await globalTeardown()
}
report()

/** Ends everything that was started, and then this process. */
function end(): void {
  working.length = 0
  waiting.length = 0
  process.exitCode = 130
  for (const { pid } of running) process.kill(-pid!, 'SIGTERM')
}

function isOfHosts(file: string): boolean {
  return file.startsWith('test/hosts/')
}

function isWanted(file: string): boolean {
  if (isOfHosts(file)) return false
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
  for (let batch = next(); batch; batch = next()) outcomes.push(await runBatch(batch))
}

/** Runs files, or only some of their tests. The output is printed after the end, so that the output of batches does not mix. */
async function runBatch(files: readonly string[], only: readonly string[] = []): Promise<Outcome> {
  const began = performance.now()
  const node = [process.execPath, 'test/batch.ts', ...files]
  const [command = '', ...args] = [...inOwnNetworks(files), ...node]
  const child = spawn(command, args, {
    env: { ...env, WOLKE_TEST_ONLY: JSON.stringify(only) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // A group of its own, so that a signal reaches what its tests have started.
    detached: true,
  })
  running.add(child)
  let failures: readonly Failure[] = []
  child.once('message', (message: readonly Failure[]) => {
    failures = message
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = await text(child.stdout!)
  const code = await ended
  running.delete(child)
  const [passed = '', failed] = output.split(/^✖ failing tests:$/m)
  process.stdout.write(passed.replaceAll(/^ℹ .*\n/gm, ''))
  // What goes wrong after its test has ended is in notes only.
  const notes = passed.match(/^ℹ Error: .*\n/gm) ?? []
  return {
    files,
    isGood: failed === undefined && code === 0,
    counts: new Map([...output.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, what, count]) => [what!, Number(count)])),
    failures,
    report: [failed ?? `\n${files.join(' ')} ended with ${code}\n`, ...notes].join(''),
    seconds: (performance.now() - began) / 1000,
  }
}

/** Runs the tests that failed once more alone. Those that pass count as passed. */
async function findFlaky(): Promise<readonly Failure[]> {
  const broken = outcomes.filter(({ isGood }) => !isGood)
  const failed = broken.flatMap(({ failures }) => failures)
  if (failed.length > mostFlaky || broken.some(({ failures }) => failures.length === 0)) return []
  const found: Failure[] = []
  for (const outcome of broken) {
    const again = await runBatch(
      outcome.files,
      outcome.failures.map(({ name }) => name),
    )
    if (!again.isGood || again.counts.get('pass')! < outcome.failures.length) continue
    outcomes[outcomes.indexOf(outcome)] = { ...outcome, isGood: true, counts: asPassed(outcome.counts) }
    found.push(...outcome.failures)
  }
  return found
}

function asPassed(counts: ReadonlyMap<string, number>): Map<string, number> {
  const of = (what: string) => counts.get(what) ?? 0
  const pass = of('pass') + of('fail') + of('cancelled')
  return new Map([...counts, ['pass', pass], ['fail', 0], ['cancelled', 0]])
}

function report(): void {
  const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 20)
  for (const { files, seconds } of slowest)
    console.log(`${seconds.toFixed().padStart(4)} s ${files.join(' ').slice(0, 100)}`)
  const failed = outcomes.filter(({ isGood }) => !isGood)
  if (failed.length > 0) console.log(`✖ failing tests:\n${failed.map(({ report }) => report).join('')}`)
  const twice = keepFlaky(flaky)
  for (const { file, name, message } of flaky) console.log(`flaky: ${file ?? ''} ${name}: ${message}`)
  for (const { name } of twice) console.log(`failed: ${name} was flaky in the last run too`)
  for (const what of outcomes[0]?.counts.keys() ?? []) {
    console.log(`ℹ ${what} ${outcomes.reduce((sum, { counts }) => sum + (counts.get(what) ?? 0), 0)}`)
  }
  console.log(`ℹ duration_ms ${(performance.now() - started).toFixed()}`)
  if (failed.length > 0 || twice.length > 0) process.exitCode ||= 1
}
