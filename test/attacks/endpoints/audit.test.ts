/** Every endpoint that writes leaves exactly one entry in the audit log, whether it does what it is asked for or not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declaredCodes } from '../../../src/kernel/contract/errors.ts'
import type { ErrorCode } from '../../../src/kernel/errors.ts'
import { entriesOf, logged } from '../../kit/audit-log.ts'
import { type Answer, forEachDatabase, testClock, type World } from '../../kit/harness.ts'
import { neverExisted } from '../../kit/proof.ts'
import { each, openStage, parts, prepare, type Row, reach } from '../../kit/requests.ts'
import { isLong } from '../../run/long.ts'

/** The ids that a creation shows. */
const madeBy = ({ body }: Answer): number[] =>
  Object.values((body ?? {}) as Record<string, { id?: number; command?: string } | null>).flatMap((part) =>
    part?.id === undefined || part.command !== undefined ? [] : [part.id],
  )

async function checkEntry(world: World, row: Row, answer: Answer, expected: object): Promise<void> {
  const entries = await entriesOf(world, answer)
  assert.equal(entries.length, 1, `${answer.status} left ${entries.length} entries`)
  const { operation, family, status, network, actor } = entries[0]!
  const { method, path } = row.endpoint
  assert.deepEqual(
    { operation, family, status, network, kind: actor.kind },
    {
      operation: `${method} ${path}`,
      family: path.split('/')[1],
      status: answer.status,
      network: '127.0.0.1',
      kind: 'token',
    },
  )
  assert.partialDeepStrictEqual(entries[0], expected)
}

async function checkEndpoint(world: World, row: Row): Promise<void> {
  const ready = await prepare(world, row)
  const refused = await ready.send(world.readOnly)
  await checkEntry(world, row, refused, { outcome: 'token_readonly' })
  if (row.endpoint.path.includes('{')) {
    const missing = await ready.send(world.api, { id: neverExisted })
    await checkEntry(world, row, missing, { outcome: missing.body.error.code, resources: [neverExisted] })
  }
  assert.deepEqual(await entriesOf(world, await ready.send(world.anonymous)), [])
  const answer = await ready.send(world.api)
  if (ready.sample.refusal) return checkEntry(world, row, answer, { outcome: ready.sample.refusal })
  assert.equal(answer.status, row.endpoint.status, answer.text)
  await checkEntry(world, row, answer, { outcome: 'ok', project: { name: 'first' } })
  const made = (await entriesOf(world, answer)).flatMap(({ resources }) => resources)
  for (const id of madeBy(answer)) assert.ok(made.includes(id), `${id} is not in ${JSON.stringify(made)}`)
}

const writes = (some: readonly Row[]) => some.filter(({ endpoint }) => endpoint.method !== 'GET')

/** Refusals that are not recorded. */
const unrecorded = new Set<ErrorCode>(['unauthorized', 'rate_limit_exceeded'])

/** Every way takes minutes; otherwise each family shows each code once. */

function shortened<T extends { readonly code: string }>(cases: readonly T[]): readonly T[] {
  return isLong ? cases : [...new Map(cases.map((one) => [one.code, one])).values()]
}

forEachDatabase('the audit log', (open) => {
  test('has one entry of every request that is to change something, and none of unknown callers', async () => {
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      await each(writes(some), (row) => checkEndpoint(world, row))
    }
  })

  test('has one entry of every way to be refused', async () => {
    for (const { some, day } of parts) {
      const { world, stage, met } = await openStage(open, day)
      const cases = writes(some).flatMap((row) =>
        [...declaredCodes(row.endpoint)]
          .filter((code) => !unrecorded.has(code))
          .map((code) => ({ row, code, name: `${row.name} ${code}` })),
      )
      await each(shortened(cases), async (one) => {
        let isElsewhere = false
        const opening: typeof open = (options) => {
          isElsewhere = true
          return stage.open(options)
        }
        const answers = await reach(world, { ...stage, open: opening }, one)
        met.clear()
        await world.settle()
        if (isElsewhere) return
        const entries = await logged(world, `since=${new Date(world.clock.now() - 60_000).toISOString()}`)
        for (const { headers, status } of answers) {
          const id = headers.get('x-correlation-id')
          const outcomes = entries.filter(({ correlation_id }) => correlation_id === id).map(({ outcome }) => outcome)
          assert.deepEqual(outcomes, [status < 400 ? 'ok' : one.code])
        }
      })
    }
  })
})
