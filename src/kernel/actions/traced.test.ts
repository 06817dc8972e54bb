import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase } from '../../../test/kit/database/bare-database.ts'
import { openBench, permanent, runToEnd, traced as stepsOf } from '../../../test/kit/samples/action-bench.ts'
import { type Noted, noting } from '../../../test/kit/samples/noted-spans.ts'
import { traced } from '../data/traced.ts'
import { inSpan } from '../process/tracing.ts'

forEachBareDatabase('traces', (openBare, engineName) => {
  test('an action is traced below the transaction that started it, whoever runs it', async (t) => {
    const { tracer, spans } = noting(t)
    const bare = await openBare()
    const bench = await openBench({ ...bare, db: traced(bare.db, tracer) })
    const definition = stepsOf([], ['one', 'two'])
    const id = await inSpan(tracer, { name: 'request' }, () => bench.start(definition))
    const above = 'request > transaction'
    assert.deepEqual(
      spans.map(({ path }) => path),
      ['request', above],
    )
    assert.equal((await bench.action(id)).traceparent, `00-${'1'.repeat(32)}-${'1'.padStart(16, '0')}-01`)
    await runToEnd(bench, id, () => bench.engine([definition]))
    const action = `${above} > action ${definition.command}`
    const below = spans.slice(2).map(({ path }) => path)
    assert.deepEqual(below, [
      action,
      `${action} > step one`,
      `${action} > transaction`,
      `${action} > step two`,
      `${action} > transaction`,
    ])
    assert.ok(spans.every(({ isEnded, failure }) => isEnded && failure === undefined))
    const [, { attributes }] = spans as [Noted, Noted]
    assert.equal(attributes['db.system.name'], engineName === 'sqlite' ? 'sqlite' : 'postgresql')
    assert.equal(attributes['wolke.transaction.runs'], 1)
    for (const wait of ['wait_ms', 'commit_ms']) assert.equal(typeof attributes[`wolke.transaction.${wait}`], 'number')
  })

  test('a span says that something failed and of what kind it was, and nothing else about it', async (t) => {
    const { tracer, spans } = noting(t)
    const bare = await openBare()
    const db = traced(bare.db, tracer)
    const bench = await openBench({ ...bare, db })
    const definition = stepsOf([], ['one'], { one: { run: permanent } })
    const id = await bench.start(definition)
    await runToEnd(bench, id, () => bench.engine([definition]))
    const failed = spans.filter(({ failure }) => failure !== undefined)
    assert.deepEqual(
      failed.map(({ path, failure }) => [path, failure]),
      [
        [`action ${definition.command}`, 'action_failed'],
        [`action ${definition.command} > step one`, 'action_failed'],
      ],
    )
    const refused = inSpan(tracer, { name: 'request' }, () =>
      db.transact(async () => {
        throw new TypeError('with a secret')
      }),
    )
    await assert.rejects(async () => refused, TypeError)
    assert.deepEqual(
      spans.slice(-2).map(({ failure }) => failure),
      ['TypeError', 'TypeError'],
    )
    assert.ok(!JSON.stringify(spans).includes('secret') && !JSON.stringify(spans).includes('no such machine'))
    assert.ok(spans.every(({ isEnded }) => isEnded))
  })

  test('without a tracer an action keeps nothing of it', async () => {
    const bench = await openBench(await openBare())
    const id = await bench.start(stepsOf([], ['one']))
    assert.equal((await bench.action(id)).traceparent, null)
  })
})
