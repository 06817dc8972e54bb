/** The scenarios that ship, and files of one's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calendar } from '../../../src/calendar.ts'
import { readScenario, shipped } from '../../../src/lab/faults/scenarios.ts'
import { texts } from '../../../src/lab/faults/texts.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { openFaultLab } from './kit.ts'

const names = 'deprecated-tomorrow flaky-network half-failed-create lost-answer maintenance next-spring rate-limited'
  .split(' ')
  .concat('slow-everything', 'sold-out', 'stuck-action')

test('those that were promised ship, each with what it teaches and what clients do', () => {
  assert.deepEqual([...shipped().keys()], names)
  for (const { summary, teaches, examples, faults, clock } of shipped().values()) {
    assert.ok(summary && teaches && examples?.hcloud && examples.python)
    assert.ok(faults || clock)
  }
})

test('next-spring is after all changes that are announced', () => {
  const last = Math.max(...calendar.map(({ fromMs }) => fromMs))
  assert.equal(Date.parse(shipped().get('next-spring')!.clock!.not_before!), last)
})

test('a file that is not right is refused with its line and its field', () => {
  const file = `summary: a
faults:
  - name: one
    match:
      operation: servers_create
    fault:
      error: { code: conflict }
  - name: one
    match: { location: moon, label_selector: 'a=(' }
    fault:
      latency:
        duration: soon
`
  const offered = { locations: new Set(['fsn1']), serverTypes: new Set<string>() }
  assert.throws(() => readScenario(file, 'my.yaml', offered), {
    message: [
      "my.yaml:9: faults[1].match.label_selector: expected ',' at position 2",
      'my.yaml:9: faults[1].match.location: must be the name of a location',
      'my.yaml:12: faults[1].fault.latency.duration: must be a duration of at most 24 days, such as 500ms, 30s or 1h30m',
      'my.yaml:8: faults[1].name: is that of another fault',
    ].join('\n'),
  })
  assert.throws(
    () => readScenario('faults:\n  - fault: {}\n    whom: me\n', 'a.yaml'),
    /^Error: a\.yaml:3: faults\[0\]\.whom: /,
  )
  assert.throws(() => readScenario('faults:\n - a: [\n', 'a.yaml'), /^Error: a\.yaml:\d+: /)
  assert.throws(() => readScenario('clock: { not_before: soon }\n', 'a.yaml'), /^Error: a\.yaml:1: clock\.not_before: /)
  assert.throws(() => readScenario('- a\n', 'a.yaml'), /^Error: a\.yaml:1: body: /)
  const levels = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`)}]`,
  )
  const details = [
    `{ a0: &a0 [a], ${levels.join(', ')} }`,
    '&a { a: *a }',
    `{ a: &a ${'x'.repeat(9_999)}, b: [*a, *a, *a, *a, *a, *a, *a] }`,
  ]
  for (const one of details) {
    const text = `faults:\n  - fault:\n      error:\n        code: conflict\n        details: ${one}\n`
    const message = /^Error: a\.yaml:5: faults\[0\]\.fault\.error\.details: must not have more than 65536 characters/
    assert.throws(() => readScenario(text, 'a.yaml', offered), message)
  }
})

test('a file with a character too many or too few is read, or refused with its line', () => {
  for (const [name, text] of Object.entries(texts)) {
    for (let at = 0; at < text.length; at += 7) {
      for (const mutated of [text.slice(0, at) + text.slice(at + 1), `${text.slice(0, at)}:${text.slice(at)}`]) {
        try {
          readScenario(mutated, name)
        } catch (error) {
          assert.match((error as Error).message, new RegExp(`^${name}:\\d+: \\S`), mutated)
        }
      }
    }
  }
})

forEachDatabase('A scenario', (open, engineName) => {
  test('replaces all faults, or changes nothing', async () => {
    const { api, inject, ask, world } = await openFaultLab(open)
    const kept = await inject({ name: 'kept', when: { share: 0 }, fault: { error: { code: 'conflict' } } })
    const faults = [{ fault: { error: { code: 'timeout' } } }, { name: 'fault-1', fault: { reset: 'before_effect' } }]
    const refused = async (body: unknown, status: number, field?: string) => {
      const answer = await ask('PUT', '/faults/scenario', body)
      assert.equal(answer.status, status, answer.text)
      if (field) assert.equal(answer.body.error.details.fields[0].name, field)
      assert.deepEqual((await ask('GET', '/faults')).body.faults, [kept])
    }
    await refused({ faults }, 422, 'faults[1].name')
    await refused({ faults: [{ fault: {} }] }, 422, 'faults[0].fault')
    await refused({ faults: [], clock: { not_before: 'soon' } }, 422, 'clock.not_before')
    await refused({ name: 'no-such' }, 404)
    await refused({ examples: [] }, 422, 'examples')
    assert.equal((await done(ask('PUT', '/faults/scenario', { faults: faults.slice(0, 1) }))).faults.length, 1)
    assert.equal((await api.get('/servers')).status, 504)
    assert.equal((await done(ask('GET', '/faults/scenarios'))).scenarios.length, names.length)
    if (engineName === 'postgres') return
    await done(ask('PUT', '/faults/scenario', { clock: { not_before: '2027-01-01T00:00:00Z', mode: 'skip' } }))
    const { clock } = await done(ask('GET', '/clock'))
    assert.deepEqual([clock.now, clock.mode], ['2027-01-01T00:00:00Z', 'skip'])
    assert.equal((await api.get('/servers')).status, 200)
    assert.equal(world.engineName, 'sqlite')
  })

  if (engineName === 'postgres') return

  test('is the same in a fork as it was at that moment, and goes its own way', async () => {
    const { api, inject, ask, rule } = await openFaultLab(open)
    await inject({
      name: 'twice',
      match: { operation: 'servers_list' },
      when: { first: 2 },
      fault: { error: { code: 'timeout' } },
    })
    assert.equal((await api.get('/servers')).status, 504)
    await done(ask('PUT', '/snapshots/once'))
    const { fork } = await done(ask('POST', '/forks', {}))
    assert.equal((await api.get('/servers')).status, 504)
    assert.equal((await api.get('/servers')).status, 200)
    assert.equal((await api.get(`${fork.base_url}/servers`)).status, 504)
    assert.equal((await api.get(`${fork.base_url}/servers`)).status, 200)
    await done(ask('DELETE', '/faults'))
    await done(ask('POST', '/snapshots/once/restore'))
    assert.equal((await rule('twice')).hits, 1)
    assert.equal((await api.get('/servers')).status, 504)
    assert.equal((await api.get('/servers')).status, 200)
  })
})
