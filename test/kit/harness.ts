/**
 * The base of all tests through HTTP: the real server on a real socket, over each real database, with a clock that the
 * test controls and a simulated infrastructure that it can inspect. Every answer is checked against the contract: a
 * reply or an error code that the endpoint does not declare fails the test that caused it.
 */

import { after, afterEach, beforeEach, describe } from 'node:test'
import { crc32 } from 'node:zlib'
import { type EngineName, engines } from './engines.ts'
import { type Closers, enter, type Installation, install, openWorld, type World, type WorldOptions } from './world.ts'

export { type EngineName, engines } from './engines.ts'
export { type Answer, type Client, makeClient } from './http/client.ts'
export {
  freshDatabase,
  type Session,
  type TestClock,
  testClock,
  testKeyring,
  today,
  type World,
  type WorldOptions,
} from './world.ts'

export type Open = (options?: WorldOptions) => Promise<World>

/**
 * Declares the same tests for SQLite and PostgreSQL. `body` gets `open`, which starts a fresh installation; everything
 * it opened is stopped and removed after each test.
 */
export function forEachDatabase(
  name: string,
  body: (open: Open, engineName: EngineName) => void,
  some: readonly EngineName[] = engines,
): void {
  for (const engineName of some) {
    describe(`${name} on ${engineName}`, () => {
      const opened = closedAfterEach()
      body(async (options = {}) => openWorld(engineName, options, opened), engineName)
    })
  }
}

/**
 * Declares tests that run on one database each. Every test keeps to its own, whichever tests run with it. What a statement
 * does on the other database, other tests show: the ledger of statements knows whether they do
 * (test/run/ledger.ts).
 */
export function forDatabasesInTurn(name: string, body: (open: Open, inProcesses: InProcesses) => void): void {
  inTurn(name, body, () => undefined)
}

/**
 * Declares tests of the same kind that share installations: `open()` is two new Projects, which must be all that a test sees
 * and changes. With any option but `runActions` it is an installation of its own.
 */
export function forProjects(name: string, body: (open: Open, inProcesses: InProcesses) => void): void {
  inTurn(name, body, openShared)
}

function inTurn(
  name: string,
  body: (open: Open, inProcesses: InProcesses) => void,
  share: () => OpenShared | undefined,
): void {
  describe(name, () => {
    const opened = closedAfterEach()
    const shared = share()
    let engineName = engineOf(name)
    let isAlone = false
    beforeEach((context) => {
      engineName = engineOf('fullName' in context ? context.fullName : name)
      isAlone = false
    })
    const inProcesses: InProcesses = (some) => {
      if (!engines.includes('postgres')) return
      describe('in several processes', () => {
        beforeEach(() => {
          engineName = 'postgres'
          isAlone = true
        })
        some()
      })
    }
    const open: Open = async (options = {}) => {
      const { runActions = true, ...others } = options
      if (!shared || isAlone || Object.keys(others).length > 0) return openWorld(engineName, options, opened)
      return shared(engineName, runActions)
    }
    body(open, inProcesses)
  })
}

/** Declares tests of several processes over one database, which SQLite cannot serve. */
export type InProcesses = (some: () => void) => void

/** The database of a test, by its full name. */
export function engineOf(fullName: string): EngineName {
  return engines[crc32(fullName) % engines.length]!
}

/** Opens worlds that several tests of a suite share, because they only read: they end with the suite. */
export function openForSuite(engineName: EngineName): Open {
  const opened: Closers = []
  after(() => closeAll(opened))
  return async (options = {}) => openWorld(engineName, options, opened)
}

type OpenShared = (engineName: EngineName, runActions: boolean) => Promise<World>

/** Where worlds put what ends them after the test that opened them. */
function closedAfterEach(): Closers {
  const opened: Closers = []
  afterEach(() => closeAll(opened))
  after(() => closeAll(opened))
  return opened
}

async function closeAll(opened: Closers): Promise<void> {
  const failures: unknown[] = []
  for (const stop of opened.splice(0).reverse()) await stop().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/**
 * Opens worlds in installations that the tests of a suite share, because starting one takes longer than most tests: each
 * world is two new Projects. So a Project that another one can see or change fails tests.
 */
function openShared(): OpenShared {
  const opened: Closers = []
  const installations = new Map<string, Promise<Installation>>()
  after(() => closeAll(opened))
  return async (engineName, runActions) => {
    const key = `${engineName} ${runActions}`
    const started = installations.get(key) ?? install(engineName, { runActions }, opened)
    installations.set(key, started)
    const installation = await started
    return enter({ ...installation, ...guarded(installation) }, unique())
  }
}

let projects = 0

/** Names of two Projects that no other world has. */
function unique(): readonly [string, string] {
  projects += 1
  return [`first ${projects}`, `second ${projects}`]
}

/** Refuses to tests what would change the installation for those beside them. */
function guarded({ clock, simulation }: Installation): Pick<Installation, 'clock' | 'simulation' | 'stop'> {
  const refuse = (): never => {
    throw new Error('other tests share this installation: open({ alone: true })')
  }
  return {
    clock: { now: clock.now, advance: refuse, set: refuse },
    simulation: { ...simulation, behave: refuse, record: refuse },
    stop: refuse,
  }
}
