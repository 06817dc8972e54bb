/**
 * Runs the tests. Attacks, the console in a browser, packages and idle connections take four times as
 * long as all others, so they run with `--all` only, as in CI; `--quick` also leaves out processes of the program and real
 * clients. Files of requests share a process, because a process takes longer to load the program than most of them take;
 * each file of the other folders has its own. As many run at once as keep the cores busy. `--hosts` runs those of hosts
 * instead, in two labs, but not those that have a command of their own (`test:hosts:long`, `test:kvm`). A test that fails
 * is run once more alone, one of hosts in a new lab (docs/flaky.md). Ends with the failed tests and one summary in the form
 * of Node.js. Files that are named are run instead of all of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { resolve as resolvePath } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type StartedLab, startLab } from '../hosts/kit/labs.ts'
import { postgresVariable, shareServer, type TestPostgres } from '../kit/database/postgres.ts'
import { engines } from '../kit/engines.ts'
import type { Told } from './batch.ts'
import { buildForRun } from './built.ts'
import { type Durations, keepDurations, secondsOf } from './durations.ts'
import { type Failure, keepFlaky, mostFlaky } from './flaky.ts'
import { judgeLedger, ledgerVariable } from './ledger.ts'
import { RUN_FOLDER_VARIABLE, watchLeftovers } from './leftovers.ts'
import { endAll } from './processes.ts'
import { watchCores } from './spare.ts'

const isHosts = process.argv.includes('--hosts')
const isQuick = process.argv.includes('--quick')
const isAll = process.argv.includes('--all')
const mostLabs = 2
/** Batches that run at once whatever the cores do: while a test waits, another works. */
const fewest = availableParallelism() + 1
/** Many tests wait, for a balancer's clock or until a client asks again, and leave the cores to others. */
const most = 4 * availableParallelism()
/** A batch of files that share a process takes about so long, in seconds, so that the last ones end together. */
const batchSeconds = 20

/** The folders whose files send requests and share processes; each file of the others has its own. */
const sharing = ['access', 'browser', 'dns', 'http', 'kit', 'laws', 'people', 'run', 'walks']

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const queue = named.length
  ? named.map((file) => [file])
  : isHosts
    ? globSync('test/hosts/**/*.test.ts', { exclude: ['test/hosts/{long,kvm}/**'] }).map((file) => [file])
    : [
        ...shares(globSync(['src/**/*.test.ts', `test/{${sharing.join()}}/**/*.test.ts`])),
        ...(isQuick ? [] : globSync('test/**/*.test.ts').filter(isWanted)).map((file) => [file]),
      ]
queue.sort((a, b) => secondsOfAll(b) - secondsOfAll(a))

/** Each process loads the same program, which takes half as long when another one has compiled it. */
const compiled = resolvePath('node_modules/.cache/compiled')
mkdirSync(compiled, { recursive: true })
/** Only a run of all tests on both databases shows each statement to each of them. */
const ledger = isAll && engines.length > 1 ? mkdtempSync(`${compiled}/../ledger-`) : undefined
const more = { NODE_COMPILE_CACHE: compiled, ...(ledger && { [ledgerVariable]: ledger }) }
/** The environment of labs, which know nothing of the folder of this run. */
const outside = { ...process.env }

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
  /** How long each file took. */
  readonly seconds: Durations
  readonly installations: number
}

const started = performance.now()
const running = new Set<ChildProcess>()
const outcomes: Outcome[] = []
let cut: Promise<void> | undefined
// A signal may come more than once: to the group of this process, and handed on by npm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    cut ??= end(signal)
  })
}
const labs: StartedLab[] = []
let server: TestPostgres | undefined
let flaky: readonly Failure[] = []
let leftNothing: ReturnType<typeof watchLeftovers> | undefined
try {
  labs.push(...(isHosts ? await Promise.all(Array.from({ length: mostLabs }, startLab)) : []))
  if (!isQuick) await buildForRun()
  leftNothing = watchLeftovers()
  server = isHosts ? undefined : await shareServer()
  await (isHosts ? Promise.all(labs.map(runInLab)) : runBatches())
  flaky = await findFlaky()
} catch (error) {
  // Whatever a signal ended did not do its work.
  if (!cut) throw error
} finally {
  await cut
  await Promise.all([server?.stop(), ...labs.map((lab) => lab.end())])
  if (leftNothing && !(await leftNothing(cut !== undefined))) process.exitCode = 1
}
await cut
if (cut) dropLedger()
else report()

/** Ends everything that was started, which lets this process end. */
async function end(signal: NodeJS.Signals): Promise<void> {
  queue.length = 0
  process.exitCode = 128 + constants.signals[signal]
  console.log(`ended by ${signal}`)
  const groups = new Set([...running].map(({ pid }) => pid!))
  // Before there is one, the variable may name that of another run, within which this one is.
  await endAll({ groups, folder: leftNothing && process.env[RUN_FOLDER_VARIABLE] })
}

function isWanted(file: string): boolean {
  if (file.startsWith('test/hosts/') || sharing.some((folder) => file.startsWith(`test/${folder}/`))) return false
  return isAll || !/^test\/(attacks|console|operating|packages)\/|\/(package|load-balancers\/idle)\.test/.test(file)
}

/** What changes the networks of a machine ends the requests of browsers on it, so it has networks and mounts of its own. */
function inOwnNetworks(files: readonly string[]): readonly string[] {
  const isPossible = process.getuid?.() === 0 && files.some((file) => file.startsWith('test/load-balancers/haproxy/'))
  const mounts = 'mount -t sysfs sysfs /sys && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns'
  return isPossible
    ? ['unshare', '--net', '--mount', 'sh', '-c', `${mounts} && ip link set lo up && exec "$@"`, 'sh']
    : []
}

/** Files in shares that take about as long as each other. */
function shares(files: readonly string[]): string[][] {
  const count = Math.ceil(secondsOfAll(files) / batchSeconds)
  const made = Array.from({ length: count }, () => ({ seconds: 0, files: [] as string[] }))
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = made.reduce((a, b) => (b.seconds < a.seconds ? b : a))
    shortest.files.push(file)
    shortest.seconds += secondsOf(file)
  }
  return made.map(({ files }) => files)
}

function secondsOfAll(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + secondsOf(file), 0)
}

/** Runs the batches in their order, and begins another one whenever the cores have time to spare. */
async function runBatches(): Promise<void> {
  const spare = watchCores()
  const open = new Set<Promise<void>>()
  while (queue.length > 0 || open.size > 0) {
    if (queue.length > 0 && open.size < most && (open.size < fewest || spare() > 0.1)) {
      const batch = runBatch(undefined, queue.shift()!).then((outcome) => {
        outcomes.push(outcome)
        open.delete(batch)
      })
      open.add(batch)
    }
    const isFull = open.size >= most || queue.length === 0
    if (open.size >= fewest || isFull) await Promise.race([...open, ...(isFull ? [] : [delay(1_000)])])
  }
}

/** Runs batches in a lab, where they follow each other, while there are any. */
async function runInLab(lab: StartedLab): Promise<void> {
  for (let batch = queue.shift(); batch; batch = queue.shift()) outcomes.push(await runBatch(lab, batch))
}

/** Runs files, or only some of their tests. The output is printed after the end, so that the output of batches does not mix. */
async function runBatch(
  lab: StartedLab | undefined,
  files: readonly string[],
  only: readonly string[] = [],
): Promise<Outcome> {
  const began = performance.now()
  const node = [process.execPath, 'test/run/batch.ts', ...files]
  const own = lab ? [] : inOwnNetworks(files)
  const [command = '', ...args] = lab?.within(node) ?? [...own, ...node]
  // The server of all is out of reach in networks of its own.
  const reached = own.length > 0 ? { [postgresVariable]: undefined } : {}
  const child = spawn(command, args, {
    env: { ...(lab ? outside : process.env), ...more, ...reached, WOLKE_TEST_ONLY: JSON.stringify(only) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // A group of its own, so that a signal reaches what its tests have started.
    detached: true,
  })
  running.add(child)
  let told: Told = { failures: [], seconds: {}, installations: 0 }
  child.once('message', (message: Told) => {
    told = message
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
    ...told,
    report: [failed ?? `\n${files.join(' ')} ended with ${code}\n`, ...notes].join(''),
    seconds: { ...told.seconds, ...(files.length === 1 && { [files[0]!]: (performance.now() - began) / 1_000 }) },
  }
}

/** A new lab in place of all others: what these have become may be why a test failed. */
async function anotherLab(): Promise<StartedLab> {
  await Promise.all(labs.splice(0).map((lab) => lab.end()))
  labs.push(await startLab())
  return labs[0]!
}

/** Runs the tests that failed once more alone. Those that pass count as passed. */
async function findFlaky(): Promise<readonly Failure[]> {
  const broken = cut ? [] : outcomes.filter(({ isGood }) => !isGood)
  const failed = broken.flatMap(({ failures }) => failures)
  if (failed.length > mostFlaky || broken.some(({ failures }) => failures.length === 0)) return []
  const found: Failure[] = []
  const lab = isHosts && failed.length > 0 ? await anotherLab() : undefined
  for (const outcome of broken) {
    const again = await runBatch(
      lab,
      outcome.files,
      outcome.failures.map(({ name }) => name),
    )
    if (!again.isGood || again.counts.get('pass')! < outcome.failures.length) continue
    outcomes[outcomes.indexOf(outcome)] = { ...outcome, isGood: true, counts: asPassed(outcome.counts) }
    found.push(...outcome.failures)
    console.log(`failed at first, and passed alone:\n${outcome.report}`)
  }
  return found
}

function asPassed(counts: ReadonlyMap<string, number>): Map<string, number> {
  const of = (what: string) => counts.get(what) ?? 0
  const pass = of('pass') + of('fail') + of('cancelled')
  return new Map([...counts, ['pass', pass], ['fail', 0], ['cancelled', 0]])
}

/** The report of what the ledger of statements finds. Tests that failed may be those that show a statement to a database. */
function askLedger(isWhole: boolean): readonly string[] {
  if (!ledger) return []
  const found = judgeLedger(ledger)
  dropLedger()
  if (found.length === 0) return []
  if (!isWhole) {
    console.log(`The ledger of statements is judged once all tests pass. It would find:\n${found.join('\n')}`)
    return []
  }
  const advice =
    'Let a test that makes the statement run on both databases (forEachDatabase), or exempt it in test/run/ledger.ts.'
  return [`\n✖ the ledger of statements (docs/adr/0025-tests-share-installations.md)\n${found.join('\n')}\n${advice}\n`]
}

function dropLedger(): void {
  if (ledger) rmSync(ledger, { recursive: true })
}

function report(): void {
  const durations = Object.assign({}, ...outcomes.map(({ seconds }) => seconds)) as Durations
  keepDurations(durations)
  const slowest = Object.entries(durations).toSorted(([, a], [, b]) => b - a)
  for (const [file, seconds] of slowest.slice(0, 20)) console.log(`${seconds.toFixed().padStart(4)} s ${file}`)
  const failed = outcomes.filter(({ isGood }) => !isGood).map(({ report }) => report)
  failed.push(...askLedger(failed.length === 0 && process.exitCode === undefined))
  if (failed.length > 0) console.log(`✖ failing tests:\n${failed.join('')}`)
  console.log(`${outcomes.reduce((sum, { installations }) => sum + installations, 0)} installations were opened`)
  const twice = keepFlaky(flaky, isHosts ? 'hosts' : 'tests')
  for (const { file, name, message } of flaky) console.log(`flaky: ${file ?? ''} ${name}: ${message}`)
  for (const { name } of twice) console.log(`failed: ${name} was flaky in the last run too`)
  for (const what of outcomes[0]?.counts.keys() ?? []) {
    console.log(`ℹ ${what} ${outcomes.reduce((sum, { counts }) => sum + (counts.get(what) ?? 0), 0)}`)
  }
  console.log(`ℹ duration_ms ${(performance.now() - started).toFixed()}`)
  if (failed.length > 0 || twice.length > 0) process.exitCode ||= 1
}
