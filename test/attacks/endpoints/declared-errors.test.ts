/**
 * Every error that an endpoint declares is reached, and leaves no trace. The errors are those of the contract tables; what
 * a table cannot tell is in the proof.ts of each family. There is no list of exceptions.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../../src/kernel/access/tokens.ts'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { declaredCodes, troubleCodes } from '../../../src/kernel/contract/errors.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { type ErrorCode, statusOf } from '../../../src/kernel/errors.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { neverExisted } from '../../kit/proof.ts'
import { errorScenarios } from '../../kit/proofs.ts'
import { assertRefused } from '../../kit/refusals.ts'
import {
  each,
  eras,
  isShared,
  openStage,
  parts,
  pathOf,
  prepare,
  type Ready,
  type Row,
  reach,
  rows,
} from '../../kit/requests.ts'

const declaredBy = (some: readonly Row[]) =>
  some.flatMap((row) =>
    [...declaredCodes(row.endpoint)]
      .filter((code) => code !== 'rate_limit_exceeded')
      .map((code) => ({ name: `${row.name} ${code}`, row, code })),
  )

/** A token of the first Project that nobody has used. */
async function newToken({ db }: World): Promise<string> {
  const { id } = await acrossProjects(db.query)
    .selectFrom('project')
    .select('id')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  return db.transact((tx) => createToken(tx, { projectId: id, name: 'fresh', readOnly: false, created: '' }))
}

forEachDatabase('every declared error', (open) => {
  test('is reached with its status, and leaves no trace', async () => {
    for (const { some, day } of parts) {
      const { world, stage, met } = await openStage(open, day)
      await each(declaredBy(some), async (one) => {
        const status = one.row.endpoint.statuses?.[one.code] ?? statusOf(one.code)
        const answers = await reach(world, stage, one)
        met.clear()
        assert.notEqual(answers.length, 0, 'nothing was tried')
        for (const answer of answers) assertRefused(answer, one.code, status)
        await world.settle()
      })
      await checkConsistency(world, { pendingToo: true })
    }
  })

  test('rate_limit_exceeded: every endpoint counts, whoever asks', async () => {
    const world = await open({ rateLimit: 1, runActions: false })
    await world.api.get('/actions?id=1')
    await world.anonymous.get('/actions?id=1')
    const target = { id: neverExisted, actionId: neverExisted }
    await each(rows, async ({ endpoint }) => {
      const path = pathOf(endpoint, target)
      assertRefused(await world.api.request(endpoint.method, path), 'rate_limit_exceeded')
      const { status, headers } = await world.anonymous.request(endpoint.method, path)
      assert.deepEqual([status, headers.get('ratelimit-remaining')], [429, '0'])
    })
  })

  test('method_not_allowed: every path names the methods that it has', async () => {
    const world = await open({ runActions: false })
    const paths = Map.groupBy(rows, ({ endpoint }) => endpoint.path)
    const all = [...paths].map(([path, some]) => ({ name: path, methods: some.map(({ endpoint }) => endpoint.method) }))
    await each(all, async ({ name, methods }) => {
      const path = pathOf({ path: name } as Endpoint, { id: neverExisted, actionId: neverExisted })
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => !methods.includes(one as 'GET'))) {
        const answer = await world.api.request(method, path)
        assertRefused(answer, 'method_not_allowed')
        const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
        assert.equal(answer.headers.get('allow'), allowed.toSorted().join(', '))
      }
    })
  })

  test('server_error or unavailable: who asks while the database is gone gets an envelope and no more', async (t) => {
    const world = await open({ runActions: false })
    await world.api.get('/actions?id=1')
    const ready: Ready[] = []
    for (const row of eras[0]!.some) ready.push(await prepare(world, row))
    const client = world.client(await newToken(world))
    // A token is remembered for a moment, which lasts until all have asked: the catalogue needs no more of the database.
    const now = performance.now()
    t.mock.method(performance, 'now', () => now)
    await client.get('/actions?id=1')
    await world.db.close()
    await each(
      ready.map((one) => ({ name: one.row.name, one })),
      async ({ one }) => {
        const { row } = one
        const answer = await one.send(client)
        if (isShared(one)) return assert.equal(answer.status, row.endpoint.status, 'the catalogue needs no database')
        const { code } = answer.body.error
        assert.ok(troubleCodes.has(code), answer.text)
        assertRefused(answer, code)
        assert.doesNotMatch(answer.text, /sql|select|database is not open|pool|\.ts|node:/i)
      },
    )
  })
})

test('every scenario is for an error that its endpoint declares', () => {
  for (const [name, codes] of Object.entries(errorScenarios)) {
    const row = rows.find((candidate) => candidate.name === name)
    assert.ok(row, `there is no endpoint ${name}`)
    for (const code of Object.keys(codes)) assert.ok(row.endpoint.errors.includes(code as ErrorCode), `${name} ${code}`)
  }
})

test('every general code of the spec has its status', () => {
  const general = `400 json_error 401 unauthorized 401 token_readonly 403 forbidden 403 maintenance
    403 resource_limit_exceeded 404 not_found 405 method_not_allowed 409 uniqueness_error 409 conflict
    410 deprecated_api_endpoint 412 resource_unavailable 422 invalid_input 422 service_error 422 unsupported_error
    423 locked 423 protected 429 rate_limit_exceeded 500 server_error 503 unavailable 504 timeout`
  const found = [...general.matchAll(/(\d{3}) (\w+)/g)]
  assert.equal(found.length, 21)
  for (const [, status, code] of found) assert.equal(statusOf(code as ErrorCode), Number(status), code)
})
