/**
 * Runs test files in this process: `node test/run/batch.ts FILE...`, or of them only the tests whose full names, as a JSON array,
 * are in WOLKE_TEST_ONLY. Tells its parent process at its end which tests failed, and how long each file took.
 *
 * Node.js learns which test something asynchronous belongs to from a hook that it calls for each promise, which takes a fifth
 * of the processor time of tests that mostly send requests (Node.js 24.21, ten files of families on SQLite: 13.3 s with it,
 * 10.8 s without). Only what makes and runs tests has to be followed, and an `AsyncLocalStorage`
 * does that for nothing. So the test runner, which is loaded after this, is told the same in another way.
 */
import hooks, { AsyncLocalStorage, AsyncResource, executionAsyncId } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { relative, resolve } from 'node:path'
import { installationChannel } from '../kit/engines.ts'
import type { Durations } from './durations.ts'
import type { Failure } from './flaky.ts'

/** What a parent process is told. */
export interface Told {
  readonly failures: readonly Failure[]
  readonly seconds: Durations
  /** How many installations its tests opened. */
  readonly installations: number
}

/** A test that takes longer waits for what never comes. */
const longestMs = 600_000

const running = new AsyncLocalStorage<number>()
let made: hooks.HookCallbacks['init']

class Followed extends AsyncResource {
  constructor(...[type, options]: ConstructorParameters<typeof AsyncResource>) {
    super(type, options)
    made?.(this.asyncId(), type, this.triggerAsyncId(), this)
  }

  // The resource itself brings back where it was made, so this comes within.
  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(work, self, args) as Result))
  }
}

Object.assign(hooks, {
  AsyncResource: Followed,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  createHook({ init }: hooks.HookCallbacks): hooks.AsyncHook {
    made = init
    const hook: hooks.AsyncHook = { enable: () => hook, disable: () => hook }
    return hook
  },
})

const { ledgerVariable, noteStatements } = await import('./ledger.ts')
const ledger = process.env[ledgerVariable]
if (ledger) noteStatements(ledger)

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')
const only = JSON.parse(process.env.WOLKE_TEST_ONLY ?? '[]') as readonly string[]

interface Known {
  readonly name: string
  readonly isSuite: boolean
  readonly parent: Known | undefined
}
/** Tests and suites by the id that the runner gives them. */
const known = new Map<number | undefined, Known>()
/** The first failure of each test that is no part of another one, because parts cannot run by themselves. */
const failures = new Map<Known, Failure>()
/** How long the tests of each file took, in seconds. */
const seconds: Record<string, number> = {}
let installations = 0
subscribe(installationChannel, () => installations++)

run({
  files: process.argv.slice(2).map((file) => resolve(file)),
  isolation: 'none',
  timeout: longestMs,
  ...(only.length > 0 && { testNamePatterns: only.map((name) => new RegExp(`^${RegExp.escape(name)}$`)) }),
})
  .on('test:enqueue', ({ testId, name, type, parentId }) =>
    known.set(testId, { name, isSuite: type === 'suite', parent: known.get(parentId) }),
  )
  .on('test:complete', ({ file, details: { duration_ms, type } }) => {
    const name = relative('.', file ?? '')
    if (type === 'test' && name.endsWith('.test.ts')) seconds[name] = (seconds[name] ?? 0) + duration_ms / 1_000
  })
  .on('test:fail', ({ testId, details: { error } }) => {
    const failed = known.get(testId)
    if (failed && !failed.isSuite) note(failed, error.cause ?? error)
  })
  .on('test:summary', ({ success }) => {
    process.send?.({ failures: [...failures.values()], seconds, installations } satisfies Told)
    if (!success) process.exitCode = 1
    if (!made) throw new Error('This version of Node.js follows tests in another way.')
  })
  .compose(spec)
  .pipe(process.stdout)

function note(failed: Known, cause: unknown): void {
  let whole = failed
  while (whole.parent && !whole.parent.isSuite) whole = whole.parent
  if (failures.has(whole)) return
  const { message, stack } = cause instanceof Error ? cause : { message: String(cause), stack: '' }
  const file = /[\w/.-]+\.test\.ts/.exec(stack?.replaceAll(`file://${process.cwd()}/`, '') ?? '')?.[0]
  failures.set(whole, { name: fullName(whole), message: message.split('\n')[0] ?? '', ...(file && { file }) })
}

/** The name with those of the suites around it, as patterns of names see it. */
function fullName({ name, parent }: Known): string {
  return parent ? `${fullName(parent)} ${name}` : name
}
