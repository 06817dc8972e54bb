/** Promises of waiting for hosts: one request serves many, and a host that is gone holds nobody for long. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DriverError } from '../../../kernel/actions/define.ts'
import { Unreachable } from '../../../protocols/ovsdb/session.ts'
import { Convergence } from './convergence.ts'
import type { Northbound } from './northbound.ts'

type Take = (changes: ReadonlyMap<string, { readonly hv_cfg: number }>, isFirst: boolean) => void

/** A database that counts requests; hosts come as far as a test says. */
class Counting {
  requests = 0
  /** How many of the first requests are lost with the connection. */
  lost = 0
  #take: Take = () => undefined

  async open(): Promise<Convergence> {
    const database = {
      follow: async ({ take }: { readonly take: Take }) => {
        this.#take = take
      },
      transact: async () => {
        const request = ++this.requests
        if (request <= this.lost) throw new Unreachable('the connection was closed', { transient: true })
        return [{}, { rows: [{ nb_cfg: request }] }]
      },
    }
    const convergence = new Convergence(database as unknown as Northbound)
    await convergence.follow()
    return convergence
  }

  /** How far all hosts are. */
  reach(count: number): void {
    this.#take(new Map([['row', { hv_cfg: count }]]), false)
  }
}

describe('hosts', () => {
  test('are asked once by all who wait at the same time', async () => {
    const database = new Counting()
    const convergence = await database.open()
    const waiting = Promise.all(Array.from({ length: 100 }, () => convergence.present()))
    await new Promise(setImmediate)
    assert.equal(database.requests, 1)
    database.reach(1)
    await waiting
  })

  test('are asked again by who has written after the others had asked', async () => {
    const database = new Counting()
    const convergence = await database.open()
    const first = convergence.present()
    await new Promise(setImmediate)
    let isReached = false
    const second = convergence.present().then(() => {
      isReached = true
    })
    database.reach(1)
    await first
    await new Promise(setImmediate)
    assert.deepEqual([database.requests, isReached], [2, false])
    database.reach(2)
    await second
  })

  test('hold nobody for long that are gone, and the second time hardly at all', async (t) => {
    const convergence = await new Counting().open()
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const longestMs of [2_000, 100]) {
      const present = convergence.present()
      await new Promise(setImmediate)
      t.mock.timers.tick(longestMs)
      await present
    }
  })

  test('are asked once more when the connection is lost meanwhile', async () => {
    const database = new Counting()
    database.lost = 1
    const convergence = await database.open()
    const waiting = convergence.present()
    await new Promise(setImmediate)
    assert.equal(database.requests, 2)
    database.reach(2)
    await waiting
    database.lost = 4
    await assert.rejects(convergence.present(), Unreachable)
  })

  test('that do not follow are told of to who wants to know', async () => {
    const convergence = await new Counting().open()
    await assert.rejects(convergence.all(10), (error) => error instanceof DriverError && error.transient)
  })
})
