/** `wolke exec` runs a command in a cloud that is thrown away with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { proxyVariables, publicHosts } from '../../commands/proxy.ts'
import { handedOn } from '../../config/config.ts'
import { runningClock, timestamp } from '../../kernel/process/clock.ts'
import type { CloudConfig } from '../options.ts'
import { cloudOptions } from '../options.ts'
import type { Wolke } from '../wolke.ts'
import { Signals } from './child.ts'
import { checkedAssertions, checkedFile, dated, Reports } from './reports.ts'

interface ExecOptions extends CloudConfig {
  readonly proxy?: true
  readonly future?: true
  readonly failOn?: string
  readonly report?: string
}

type Words = readonly [string, ...string[]]

export function execCommand(): Command {
  const command = new Command('exec')
    .description('run a command in a cloud that is thrown away with it')
    .argument('<command...>', 'the command and its arguments, behind --')
    .addOption(new Option('--future', 'run it once today and once at each announced change of the API'))
    .addOption(
      new Option(
        '--fail-on <list>',
        'end with code 1 for what the report tells of (docs/report.md): leftovers,cost>1.00',
      ).argParser(checkedAssertions),
    )
    .addOption(
      new Option(
        '--report <file>',
        'where the report goes: text, or by its ending .json, .xml (JUnit) or .har',
      ).argParser(checkedFile),
    )
    .addOption(new Option('--proxy', 'also lead programs without a setting for the endpoint there'))
  for (const option of cloudOptions()) command.addOption(option)
  return command.action(async (words: string[], { future, ...options }: ExecOptions) => {
    using signals = new Signals()
    const run = new Runs(words as unknown as Words, options, signals)
    process.exitCode = await (future ? throughTheFuture(run, options.now) : run.at(options.now))
  })
}

/** Runs a command in one cloud after the other. */
class Runs {
  readonly #words: Words
  readonly #options: Omit<ExecOptions, 'future'>
  readonly #signals: Signals
  /** All clouds have the same, so that what a run keeps in files is of use to the next one. */
  #token: string | undefined
  #hasTold = false

  constructor(words: Words, options: Omit<ExecOptions, 'future'>, signals: Signals) {
    this.#words = words
    this.#options = options
    this.#signals = signals
    this.#token = options.token
  }

  /** The exit code for who was told to end. */
  get interruption(): number | undefined {
    return this.#signals.code
  }

  /** Runs it in a cloud whose clock starts at `now`; returns its exit code. With `isOne` of many, its report says when. */
  async at(now: number | undefined, isOne = false): Promise<number> {
    // Loaded only here, to keep other commands fast.
    const [{ startConfigured }, { environmentIn }] = await Promise.all([
      import('../start.ts'),
      import('../environment.ts'),
    ])
    const { proxy, failOn, report, ...options } = this.#options
    const token = this.#token === undefined ? {} : { token: this.#token }
    await using cloud = await startConfigured({ ...options, ...token, ...(now === undefined ? {} : { now }) })
    this.#token = cloud.token
    await using stack = new AsyncDisposableStack()
    const led = proxy ? await lead(cloud, stack) : {}
    const { env, removed } = environmentIn(cloud, handedOn())
    this.#tell(removed)
    const told = await Reports.begin(cloud)
    const code = await this.#signals.run(this.#words, { ...env, ...led })
    const broken = await told.tell({ failOn, file: isOne && report !== undefined ? dated(report, now!) : report })
    return code === 0 && broken ? 1 : code
  }

  /** Says once what the command does not get. */
  #tell(removed: readonly string[]): void {
    if (removed.length > 0 && !this.#hasTold)
      console.error(`wolke: not handed on, as they may lead to another cloud: ${removed.join(', ')}`)
    this.#hasTold = true
  }
}

/** Opens a proxy that leads to a cloud; returns the variables that lead programs to it. */
async function lead(cloud: Wolke, stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const [{ openAuthority }, { openProxy }] = await Promise.all([
    import('../../proxy/authority.ts'),
    import('../../proxy/proxy.ts'),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'wolke-exec-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const hosts = publicHosts
  const { identity, certificateFile } = await openAuthority({
    folder: join(folder, 'ca'),
    hosts,
    clock: runningClock(),
  })
  const target = new URL(new URL(cloud.url).origin)
  const proxy = await openProxy({ port: 0, target, hosts, identity, tell: (line) => console.error(`wolke: ${line}`) })
  stack.defer(() => proxy.stop())
  const variables = proxyVariables(proxy.url, certificateFile)
  // Some programs read the small letters first, which may name a proxy that leads to the real hosts.
  const small = ['HTTPS_PROXY', 'NO_PROXY'].map((name) => [name.toLowerCase(), variables[name]!])
  return { ...variables, ...Object.fromEntries(small) }
}

/** One run, as the table at the end shows it. */
interface Run {
  readonly at: string
  readonly changes: readonly string[]
  readonly code: number
}

/** Runs it today and at each announced change; returns 1 if it fails at one of them alone. */
async function throughTheFuture(runs: Runs, now = Date.now()): Promise<number> {
  const { calendar } = await import('../../calendar.ts')
  const coming = Map.groupBy(
    calendar.filter(({ fromMs }) => fromMs > now),
    ({ fromMs }) => fromMs,
  )
  const done: Run[] = []
  for (const [ms, changes] of [[now, []] as const, ...coming]) {
    const at = timestamp(ms)
    console.error(`wolke: ${at}${changes.map(({ name }) => ` ${name}`).join('')}`)
    const code = await runs.at(ms, true)
    if (runs.interruption !== undefined) return runs.interruption
    done.push({ at, changes: changes.map(({ summary }) => summary), code })
  }
  console.error(done.map(shown).join('\n'))
  const [today, ...later] = done
  return today!.code || (later.some(({ code }) => code !== 0) ? 1 : 0)
}

function shown({ at, changes, code }: Run): string {
  const result = code === 0 ? 'works' : `ends with code ${code}`
  return `wolke: ${at}  ${result}${changes.map((summary) => `\n         ${summary}`).join('')}`
}
