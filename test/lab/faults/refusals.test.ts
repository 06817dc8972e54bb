/** Rules that are not right are refused by field, and nothing is changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase } from '../../kit/harness.ts'
import { openFaultLab } from './kit.ts'
import { mutationsOf } from './mutations.ts'

const full = {
  name: 'full',
  match: {
    operation: 'servers_changeType',
    method: 'POST',
    project: 'first',
    resource: 'server',
    id: 12,
    name: 'web-*',
    label_selector: 'env=prod',
    location: 'fsn1',
    server_type: 'cx23',
  },
  when: { first: 3, after: 1, every: 2, share: 0.5, seed: 'a', for: '30s' },
  fault: {
    latency: { duration: '1s', spread: '100ms', distribution: 'normal' },
    error: { code: 'conflict', message: 'no', status: 409, details: { a: 1 }, after_effect: false },
  },
}

const ofActions = {
  name: 'actions',
  match: { command: 'create_server', resource: 'server' },
  fault: { action: { takes: '1m', error: { code: 'action_failed', message: 'no' } } },
}

const ofBodies = {
  name: 'bodies',
  when: { until: '2027-01-01T00:00:00Z' },
  fault: { dribble: { bytes: 3, every: '1s' } },
}

/** Mistakes that no schema finds, each with the field that is to be named. */
const mistakes: readonly (readonly [rule: object, field: string])[] = [
  [{ fault: {} }, 'fault'],
  [{ match: { operation: 'servers_explode' }, fault: { error: { code: 'conflict' } } }, 'match.operation'],
  [{ match: { operation: 'servers_create', method: 'GET' }, fault: { reset: 'after_effect' } }, 'match.method'],
  [{ match: { operation: 'servers_create', resource: 'image' }, fault: { reset: 'after_effect' } }, 'match.resource'],
  [{ match: { operation: 'servers_create', id: 12 }, fault: { reset: 'after_effect' } }, 'match.id'],
  [{ match: { operation: 'console', resource: 'server' }, fault: { reset: 'after_effect' } }, 'match.resource'],
  [{ match: { operation: 'console', id: 12 }, fault: { reset: 'after_effect' } }, 'match.id'],
  [{ match: { operation: 'servers_list', name: 'web' }, fault: { reset: 'after_effect' } }, 'match.name'],
  [{ match: { operation: 'events', location: 'fsn1' }, fault: { reset: 'after_effect' } }, 'match.location'],
  [{ when: { for: '0s' }, fault: { reset: 'after_effect' } }, 'when.for'],
  [{ fault: { error: { code: 'conflict', details: { a: 'x'.repeat(70_000) } } } }, 'fault.error.details'],
  [{ match: { resource: 'planet' }, fault: { error: { code: 'conflict' } } }, 'match.resource'],
  [{ match: { command: 'create_server' }, fault: { error: { code: 'conflict' } } }, 'match.command'],
  [{ match: { label_selector: 'a=(' }, fault: { error: { code: 'conflict' } } }, 'match.label_selector'],
  [{ match: { location: 'moon' }, fault: { error: { code: 'conflict' } } }, 'match.location'],
  [{ match: { server_type: 'big' }, fault: { error: { code: 'conflict' } } }, 'match.server_type'],
  [{ when: { for: 'soon' }, fault: { error: { code: 'conflict' } } }, 'when.for'],
  [{ when: { until: '2026-02-30T00:00:00Z' }, fault: { error: { code: 'conflict' } } }, 'when.until'],
  [{ when: { for: '1s', until: '2027-01-01T00:00:00Z' }, fault: { error: { code: 'conflict' } } }, 'when.until'],
  [{ when: { seed: 'a' }, fault: { error: { code: 'conflict' } } }, 'when.seed'],
  [{ fault: { error: { code: 'no_such_code' } } }, 'fault.error.code'],
  [{ fault: { latency: { duration: '25d' } } }, 'fault.latency.duration'],
  [{ fault: { latency: { duration: '1s', distribution: 'uniform' } } }, 'fault.latency.spread'],
  [{ fault: { latency: { duration: '1s', spread: '1s' } } }, 'fault.latency.spread'],
  [{ match: { command: 'explode' }, fault: { action: { stays_locked: true } } }, 'match.command'],
  [{ match: { operation: 'servers_create' }, fault: { action: { stays_locked: true } } }, 'match.operation'],
  [{ match: { method: 'POST' }, fault: { action: { stays_locked: true } } }, 'match.method'],
  [{ fault: { action: {} } }, 'fault.action'],
  [{ fault: { action: { step: 'no such step', stays_locked: true } } }, 'fault.action.step'],
  [{ fault: { action: { takes: 'long' } } }, 'fault.action.takes'],
  [{ fault: { action: { stays_locked: true, error: { code: 'a', message: 'b' } } } }, 'fault.action.stays_locked'],
  [{ fault: { action: { stays_locked: true }, reset: 'before_effect' } }, 'fault.action'],
  [{ fault: { reset: 'after_effect', error: { code: 'conflict' } } }, 'fault.reset'],
  [{ fault: { truncate: { bytes: 1 }, dribble: { bytes: 1, every: '1s' } } }, 'fault.dribble'],
  [{ fault: { dribble: { bytes: 1, every: 'often' } } }, 'fault.dribble.every'],
  [{ fault: { sold_out: false } }, 'fault.sold_out'],
  [{ fault: { no_addresses: false } }, 'fault.no_addresses'],
  [{ match: { name: 'web' }, fault: { no_addresses: true } }, 'match.name'],
  [{ fault: { no_addresses: true, sold_out: true } }, 'fault.no_addresses'],
  [{ match: { name: 'web' }, fault: { sold_out: true } }, 'match.name'],
  [{ fault: { name_server: {} } }, 'fault.name_server'],
  [{ match: { project: 'first' }, fault: { name_server: { answer: 'none' } } }, 'match.project'],
  [{ match: { resource: 'server' }, fault: { metadata: { latency: { duration: '1s' } } } }, 'match.resource'],
  [{ fault: { metadata: { latency: { duration: 'a' } } } }, 'fault.metadata.latency.duration'],
  [{ match: { operation: 'servers_get' }, fault: { targets: 'unhealthy' } }, 'match.operation'],
  [{ name: 'two words', fault: { error: { code: 'conflict' } } }, 'name'],
]

forEachDatabase('A rule that is not right', (open) => {
  test('is refused by field, and changes nothing', async () => {
    const { api, inject, ask } = await openFaultLab(open)
    const kept = await inject({ ...full, name: 'kept' })
    const refused = async (body: unknown, field?: string) => {
      const answer = await ask('POST', '/faults', body)
      assert.ok(answer.status === 422 || answer.status === 400, `${JSON.stringify(body)}: ${answer.status}`)
      if (answer.status === 400) return
      const names = answer.body.error.details.fields.map(({ name }: { name: string }) => name) as string[]
      if (field !== undefined)
        assert.ok(
          names.some((name) => name.startsWith(field)),
          `${JSON.stringify(body)}: ${names}, not ${field}`,
        )
    }
    for (const [rule, field] of mistakes) await refused(rule, field)
    const mutations = [full, ofActions, ofBodies].flatMap(mutationsOf)
    assert.ok(mutations.length >= 1_000, `${mutations.length} mutations`)
    for (const { body, field } of mutations) await refused(body, field)
    assert.equal((await ask('POST', '/faults', { ...full, name: 'kept' })).status, 409)
    assert.equal((await ask('DELETE', '/faults/other')).status, 404)
    assert.deepEqual((await ask('GET', '/faults')).body.faults, [kept])
    assert.equal((await api.get('/servers')).status, 200)
  })

  test('is one of too many: a cloud has 1,000, however they come to be', async () => {
    const { ask } = await openFaultLab(open)
    const selector = Array.from({ length: 16 }, (_, index) => `label-${index}=value-${index}`).join(',')
    const { for: _, ...when } = full.when
    const rules = Array.from({ length: 1_001 }, (_, index) => ({
      name: `${'x'.repeat(50)}-${index}`,
      match: { ...full.match, label_selector: selector },
      when: { ...when, until: '2027-01-01T00:00:00Z' },
      fault: { ...full.fault, error: { ...full.fault.error, message: 'x'.repeat(200) }, truncate: { bytes: 9 } },
    }))
    const tooMany = await ask('PUT', '/faults/scenario', { faults: rules })
    assert.equal(tooMany.status, 422)
    assert.deepEqual(tooMany.body.error.details.fields[0].name, 'faults')
    assert.deepEqual((await ask('GET', '/faults')).body.faults, [])
    const replaced = await ask('PUT', '/faults/scenario', { faults: rules.slice(1) })
    assert.equal(replaced.status, 200, replaced.text.slice(0, 200))
    assert.equal(replaced.body.faults.length, 1_000)
    const another = await ask('POST', '/faults', rules[0])
    assert.deepEqual([another.status, another.body.error.code], [403, 'resource_limit_exceeded'])
    assert.equal((await ask('DELETE', `/faults/${rules[1]!.name}`)).status, 204)
    assert.equal((await ask('POST', '/faults', rules[0])).status, 201)
  })
})
