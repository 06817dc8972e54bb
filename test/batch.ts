/**
 * Runs test files in this process: `node test/batch.ts FILE...`.
 *
 * Node.js learns which test something asynchronous belongs to from a hook that it calls for each promise, which takes a third
 * of the time of tests that mostly send requests. Only what makes and runs tests has to be followed, and an `AsyncLocalStorage`
 * does that for nothing. So the test runner, which is loaded after this, is told the same in another way.
 */
import hooks, { AsyncLocalStorage, AsyncResource, executionAsyncId } from 'node:async_hooks'
import { resolve } from 'node:path'

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

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')
run({ files: process.argv.slice(2).map((file) => resolve(file)), isolation: 'none', timeout: longestMs })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
    if (!made) throw new Error('This version of Node.js follows tests in another way.')
  })
  .compose(spec)
  .pipe(process.stdout)
