/**
 * The database goes away at any moment of any request that writes. Clients repeat by themselves what was refused with 409,
 * 503 or 504, so that these are only for what did not happen at all; what is committed is answered as such, and 500 is
 * for what nobody can know (docs/reliability.md).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump } from '../../kit/database/dump.ts'
import { type Watch, watchDatabase } from '../../kit/database/watched-database.ts'
import { type Answer, forEachDatabase, type Open, testClock, type World } from '../../kit/harness.ts'
import { assertRefused } from '../../kit/refusals.ts'
import { each, parts, prepare, type Row } from '../../kit/requests.ts'

/** When the database goes away: before so many statements and commits, before the first commit, after it, or in it. */
type Moment = number | 'after commit' | 'in commit'

const looksUpToken = /^select .* from "token" where "hash" = /

/** A database that can be made to go away, and to come back. */
class Outage {
  #moment: Moment | undefined
  #passed = 0
  #isAway = false
  /** What was about to happen when it went away. */
  stopped: 'a statement' | 'a commit' | undefined

  /** Entries of earlier refusals are written first, because those writes are no part of the request. */
  async during({ app }: World, moment: Moment, send: () => Promise<Answer>): Promise<Answer> {
    await app.auditLog.flush()
    this.#moment = moment
    this.#passed = 0
    this.#isAway = false
    this.stopped = undefined
    const answer = await send()
    this.#moment = undefined
    return answer
  }

  /** Throws what a database that is away answers to. */
  readonly watch: Watch = {
    before: ({ sql }) => {
      // Tokens are remembered for some seconds, so that it depends on the machine whether one is looked up meanwhile.
      if (!looksUpToken.test(sql)) this.#pass('a statement')
    },
    commit: () => this.#pass('a commit'),
    committed: () => {
      this.#isAway = this.#moment === 'after commit'
      if (this.#moment === 'in commit') throw new Error('nobody knows how the commit ended')
    },
  }

  #pass(what: 'a statement' | 'a commit'): void {
    if (this.#moment === undefined) return
    if (this.#passed++ === this.#moment) {
      this.#isAway = true
      this.stopped = what
    }
    if (this.#isAway) throw Object.assign(new Error('the database is away'), { code: 'ECONNRESET' })
  }
}

interface Scene {
  readonly world: World
  readonly outage: Outage
}

async function openScene(open: Open, day: string): Promise<Scene> {
  const outage = new Outage()
  const wrapDatabase: NonNullable<Parameters<Open>[0]>['wrapDatabase'] = (db) =>
    watchDatabase(db, () => outage.watch, outage.watch)
  return { world: await open({ runActions: false, clock: testClock(day), wrapDatabase }), outage }
}

const writes = (some: readonly Row[]) => some.filter(({ endpoint }) => endpoint.method !== 'GET')

/** Lets the database go away before each statement in turn, up to the commit, and then not at all. */
async function checkRefusals({ world, outage }: Scene, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  if (ready.sample.refusal) return
  const before = await dump(world.db)
  for (let moment = 0; outage.stopped !== 'a commit' || moment === 0; moment++) {
    const answer = await outage.during(world, moment, () => ready.send(world.api))
    assert.notEqual(outage.stopped, undefined, `no statement ${moment}: ${answer.status} ${answer.text}`)
    assertRefused(answer, 'unavailable')
  }
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  const answer = await ready.send(world.api)
  assert.equal(answer.status, row.endpoint.status, answer.text)
  assert.notEqual(await dump(world.db), before, 'an accepted request had no effect')
}

/** What is committed cannot be refused any more, whatever the database does from then on. */
async function checkCommitted({ world, outage }: Scene, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  if (ready.sample.refusal) return
  const before = await dump(world.db)
  const answer = await outage.during(world, 'after commit', () => ready.send(world.api))
  assert.equal(answer.status, row.endpoint.status, answer.text)
  assert.notEqual(await dump(world.db), before, 'an accepted request had no effect')
}

async function checkUnknown({ world, outage }: Scene, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  if (ready.sample.refusal) return
  assertRefused(await outage.during(world, 'in commit', () => ready.send(world.api)), 'server_error')
}

forEachDatabase('when the database goes away', (open) => {
  const promises: readonly [string, (scene: Scene, row: Row) => Promise<void>][] = [
    ['before the commit, every write is refused as unavailable and has no effect', checkRefusals],
    ['after the commit, every write is answered as done', checkCommitted],
    ['in the commit, every write is answered so that nobody repeats it blindly', checkUnknown],
  ]
  for (const [promise, check] of promises) {
    test(promise, async () => {
      for (const { some, day } of parts) {
        const scene = await openScene(open, day)
        await each(writes(some), (row) => check(scene, row))
      }
    })
  }
})
