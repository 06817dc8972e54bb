/** The scenarios that ship, and files of one's own: what each does to hcloud is what docs/scenarios.md says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { calendar } from '../../../src/calendar.ts'
import type { ScenarioFile } from '../../../src/lab/faults/contract.ts'
import { readScenario, shipped } from '../../../src/lab/faults/scenarios.ts'
import { texts } from '../../../src/lab/faults/texts.ts'
import { endpointsAt, type HcloudProgram, installHcloud, run, skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { type FaultLab, openFaultLab } from './kit.ts'

type Example = NonNullable<ScenarioFile['examples']>[number]

const names = 'deprecated-tomorrow flaky-network half-failed-create lost-answer maintenance next-spring rate-limited'
  .split(' ')
  .concat('slow-everything', 'sold-out', 'stuck-action')

test('those that were promised ship, each with what it teaches and what hcloud does', () => {
  assert.deepEqual([...shipped().keys()], names)
  for (const { summary, teaches, examples, faults, clock } of shipped().values()) {
    assert.ok(summary && teaches && examples && examples.length > 0)
    assert.ok(faults || clock)
  }
})

test('next-spring is after all changes that are announced', () => {
  const last = Math.max(...calendar.map(({ fromMs }) => fromMs))
  assert.equal(Date.parse(shipped().get('next-spring')!.clock!.not_before!), last)
})

const hcloud = await installHcloud('new')

forEachDatabase('hcloud in the scenario', (open, engineName) => {
  for (const [name, { clock, examples = [] }] of shipped()) {
    test(name, async (t) => {
      if (!hcloud) return skipWithout(t, 'hcloud is not installed')
      const lab = await openFaultLab(open)
      const answer = await lab.ask('PUT', '/faults/scenario', { name })
      if (engineName === 'postgres' && clock) return assert.equal(answer.status, 422, 'time cannot be moved')
      assert.equal(answer.status, 200, answer.text)
      for (const example of examples) await follow(lab, hcloud, example)
      if (name !== 'deprecated-tomorrow') return
      await done(lab.ask('POST', '/clock/advance', { by: '1d' }))
      await follow(lab, hcloud, {
        run: `${examples[0]!.run.replace('old', 'new')}`,
        exit: 1,
        says: 'debian-11 for architecture x86 not found',
      })
    })
  }
})

async function follow(
  lab: FaultLab,
  { program }: HcloudProgram,
  { run: line, exit, says = '' }: Example,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-scenarios-'))
  const { baseUrl, api } = lab.world
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, ...endpointsAt(baseUrl), HCLOUD_TOKEN: api.token! }
  const [, ...words] = line.split(' ')
  const args = ['--poll-interval', '5ms', ...words]
  try {
    if (exit === null) return await doesNotEnd(lab, program, args, env)
    const { code, stdout, stderr } = await run(program, args, { env, cwd: folder })
    assert.equal(code, exit, `${line}\n${stdout}${stderr}`)
    assert.ok(`${stdout}${stderr}`.includes(says), `${line} does not say '${says}':\n${stdout}${stderr}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Waits until the command has read its action again and again, which still runs then. */
async function doesNotEnd(
  { api, rule }: FaultLab,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(program, args, { env: { PATH: '', ...env }, stdio: 'ignore' })
  const ended = once(child, 'close')
  try {
    for (;;) {
      const [hit] = (await rule('stuck')).last_hits
      if (hit) return assert.equal((await done(api.get(`/actions/${hit.action_id}`))).action.status, 'running')
      assert.equal(child.exitCode, null, 'the command has ended')
    }
  } finally {
    child.kill()
    await ended
  }
}

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
