/** The audit log: that it says the truth, that nobody can change it, and how it is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { carryOut } from '../../src/commands/noted.ts'
import { audited, noteProject, noteSubjects } from '../../src/kernel/audit/audited.ts'
import { recordEvent } from '../../src/kernel/audit/entries.ts'
import { removeOldEntries } from '../../src/kernel/audit/expiry.ts'
import { Note, noteTouched } from '../../src/kernel/audit/note.ts'
import { withTransact } from '../../src/kernel/data/db.ts'
import { onBehalfOf } from '../../src/kernel/process/behalf.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { entriesOf, firstProject, type LoggedEntry, logged, ofProject } from '../kit/audit-log.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { forDatabasesInTurn, type World } from '../kit/harness.ts'
import { done, unique } from '../kit/proof.ts'
import { assertRefused } from '../kit/refusals.ts'

const day = 24 * 3_600_000
const outcomes = (entries: readonly LoggedEntry[]) => entries.map(({ outcome }) => outcome)

const firewall = async ({ api }: Pick<World, 'api'>, name = unique('firewall')) =>
  (await done(api.post('/firewalls', { name }))).firewall.id as number

async function fill(world: World, count: number): Promise<void> {
  const projectId = (await firstProject(world)) as ProjectId
  await world.db.transact(async (tx) => {
    const actor = { kind: 'person', id: 7, name: 'a@example.com' } as const
    for (let i = 0; i < count; i++) await recordEvent(tx, { actor, projectId, operation: 'sign in', family: 'people' })
  })
}

forDatabasesInTurn('the audit log', (open) => {
  test('says who did what, from where, and what came of it', async () => {
    const world = await open({ runActions: false })
    const answer = await world.api.post('/firewalls', { name: 'web' })
    const { id } = (await done(Promise.resolve(answer))).firewall
    const changed = await world.as('restricted').put(`/firewalls/${id}`, { name: 'other' })
    assert.equal(changed.status, 200)
    assertRefused(await world.as('viewer').delete(`/firewalls/${id}`), 'forbidden')
    const [refused, update, creation] = await logged(world)
    const project = { id: await firstProject(world), name: 'first' }
    assert.deepEqual(
      { ...creation, id: 0, actor: { ...creation!.actor, id: 0 } },
      {
        id: 0,
        time: '2026-11-21T12:00:00Z',
        actor: { kind: 'token', id: 0, name: 'test' },
        project,
        operation: 'POST /firewalls',
        family: 'firewalls',
        resources: [id],
        actions: (await done(world.api.get(`/firewalls/${id}/actions`))).actions.map((one: { id: number }) => one.id),
        outcome: 'ok',
        status: 201,
        correlation_id: answer.headers.get('x-correlation-id'),
        network: '127.0.0.1',
      },
    )
    assert.deepEqual([update!.actor.name, update!.operation], ['restricted@example.com', 'PUT /firewalls/{id}'])
    assert.deepEqual([refused!.outcome, refused!.status, refused!.project], ['forbidden', 403, project])
  })

  test('names what was made however much there is to tell of it', async () => {
    const world = await open({ runActions: false })
    // With so many, the reply is read after the commit.
    const apply_to = Array.from({ length: 30 }, (_, n) => {
      return { type: 'label_selector', label_selector: { selector: `n=${n}` } }
    })
    const answer = await world.api.post('/firewalls', { name: 'web', apply_to })
    const { firewall } = await done(Promise.resolve(answer))
    assert.deepEqual((await entriesOf(world, answer))[0]!.resources, [firewall.id])
  })

  test('takes for an id only what can be one', async () => {
    const world = await open({ runActions: false })
    const paths = ['4503599627370495', '4503599627370496', '9007199254740991', '1e3', '0x10', '007']
    for (const path of paths) assert.equal((await world.api.delete(`/zones/${path}`)).status, 404)
    const found = (await logged(world)).map(({ resources }) => resources[0])
    assert.deepEqual(found.reverse(), [4503599627370495, ...paths.slice(1)])
  })

  test('commits with its change or not at all', async () => {
    const faults = new Set<string>()
    const wrapDatabase = (db: World['db']) =>
      watchDatabase(db, () => ({
        before({ sql: text }) {
          for (const fault of faults) if (text.includes(fault)) throw new Error('the disk says no')
        },
        commit() {
          if (faults.has('commit')) throw new Error('the disk says no')
        },
      }))
    const world = await open({ runActions: false, wrapDatabase })
    for (const fault of ['insert into "audit"', 'commit']) {
      faults.add(fault)
      const answer = await world.api.post('/firewalls', { name: 'web' })
      assert.equal(answer.status, 500, fault)
      faults.clear()
      assert.deepEqual((await done(world.api.get('/firewalls'))).firewalls, [])
      assert.deepEqual(outcomes(await entriesOf(world, answer)), ['server_error'])
    }
    const answer = await world.api.post('/firewalls', { name: 'web' })
    assert.deepEqual(outcomes(await entriesOf(world, answer)), ['ok'])
  })

  test('has one entry of a request with several transactions, in the one that counts', async () => {
    const world = await open({ runActions: false })
    const db = audited(world.db)
    const note = new Note({
      actor: { kind: 'token', id: 1, name: 'test' },
      scope: { projectId: (await firstProject(world)) as ProjectId },
      operation: 'POST /things',
      family: 'things',
      subjects: [],
      status: 201,
      correlationId: 'several',
      network: '',
    })
    const written = async () =>
      (await logged(world)).filter(({ correlation_id }) => correlation_id === 'several').length
    await onBehalfOf(
      undefined,
      async () => {
        await db.transact(async () => 1, { isDurable: false })
        assert.equal(await written(), 0, 'what means nothing without a later transaction')
        await db.transact(async () => Symbol('nothing changed'))
        assert.equal(await written(), 0, 'what changed nothing')
        await assert.rejects(db.transact(() => Promise.reject(new Error('refused'))))
        assert.equal(await written(), 0, 'what was rolled back')
        await Promise.all([db.transact(async () => 1), db.transact(async () => 2)])
        await db.transact(async () => 3)
      },
      note,
    )
    assert.equal(await written(), 1)
  })

  test('names nothing of a run of its transaction that was rolled back', async () => {
    const world = await open({ runActions: false })
    const again = new Error('again')
    // A database runs a transaction again that shared its commit with one that failed halfway, or met a conflict.
    const retried = withTransact(world.db, async (work, options) => {
      const first = world.db.transact(async (tx) => {
        await work(tx)
        throw again
      })
      await assert.rejects(first, again)
      return world.db.transact(work, options)
    })
    const db = audited(retried)
    const projectId = (await firstProject(world)) as ProjectId
    const actor = { kind: 'token', id: 1, name: 'test' } as const
    const asked = { operation: 'POST /things', family: 'things', subjects: [], status: 201, network: '' }
    const note = new Note({ actor, scope: { projectId }, correlationId: 'retried', ...asked })
    let runs = 0
    await onBehalfOf(
      undefined,
      async () => {
        noteSubjects([5])
        await db.transact(async (tx) => {
          noteSubjects([70 + ++runs], tx)
          if (runs === 1) noteProject({ id: 9, name: 'rolled back' }, tx)
        })
      },
      note,
    )
    const [entry, ...others] = (await logged(world)).filter(({ correlation_id }) => correlation_id === 'retried')
    assert.deepEqual([entry!.resources, entry!.project!.id, others.length], [[5, 72], projectId, 0])
  })

  test('cannot be changed, by no statement', async () => {
    const world = await open({ runActions: false })
    await firewall(world)
    await assert.rejects(
      world.db.transact((tx) => sql`update audit set outcome = 'forged'`.execute(tx.query)),
      /audit_is_append_only/,
    )
    world.clock.advance(day - 1_000)
    await firewall(world)
    const kept = async () => (await logged(world)).length
    const deletions = [sql`delete from audit`, sql`delete from audit where id = (select min(id) from audit)`]
    const emptying = world.engineName === 'postgres' ? [sql`truncate audit`, sql`truncate audit cascade`] : []
    for (const statement of [...deletions, ...emptying]) {
      await assert.rejects(
        world.db.transact((tx) => statement.execute(tx.query)),
        /audit_is_kept/,
      )
      assert.equal(await kept(), 2)
    }
    world.clock.advance(1_000)
    await firewall(world)
    await world.db.transact((tx) => deletions[1]!.execute(tx.query))
    assert.equal(await kept(), 2, 'what is a day older than the newest entry may expire')
  })

  test('keeps its last day when nothing happens any more', async () => {
    const world = await open({ runActions: false })
    await firewall(world)
    world.clock.advance(2 * day)
    await firewall(world)
    await firewall(world)
    world.clock.advance(100 * day)
    await removeOldEntries(world.db, world.clock, 1)
    assert.equal((await logged(world, 'family=firewalls')).length, 2)
  })

  test('keeps entries for as long as it shall, and those of deleted Projects', async () => {
    const world = await open({ runActions: false })
    await firewall(world)
    world.clock.advance(60 * day)
    await fill(world, 1_200)
    world.clock.advance(31 * day)
    await firewall(world)
    await removeOldEntries(world.db, world.clock, 90)
    assert.equal((await logged(world, 'family=firewalls')).length, 1)
    assert.equal((await logged(world, 'family=people')).length, 1_000)
    await removeOldEntries(world.db, world.clock, 30)
    assert.equal((await logged(world, 'family=people')).length, 0)
    world.clock.advance(100 * day)
    await removeOldEntries(world.db, world.clock, 90)
    const [last] = await logged(world)
    await firewall(world)
    const [next] = await logged(world)
    assert.ok(next!.id > last!.id, 'ids are not used again')
  })

  test('does not record what was throttled, nor unknown callers', async () => {
    const world = await open({ runActions: false, rateLimit: 2 })
    for (let i = 0; i < 4; i++) await world.api.post('/firewalls', { name: unique('firewall') })
    await world.anonymous.post('/firewalls', { name: 'nobody' })
    await world.client('wlk_nonsense').post('/firewalls', { name: 'nobody' })
    assert.deepEqual(outcomes(await logged(world)), ['ok', 'ok'])
  })

  test('holds no body and no secret', async () => {
    const world = await open({ runActions: false })
    const secret = `hidden-${unique('secret')}`
    await world.api.post('/firewalls', { name: secret, labels: { [secret]: secret } })
    await world.api.post('/firewalls', { name: secret, nonsense: secret })
    await world.api.post(`/firewalls?token=${secret}`, { name: secret })
    assert.ok(!JSON.stringify(await logged(world)).includes(secret))
    assert.ok(!JSON.stringify(await logged(world)).includes(world.api.token!))
  })

  test('is filtered, and paged from the newest entry on', async () => {
    const world = await open({ runActions: false })
    const first = await firewall(world)
    world.clock.advance(day)
    const second = await firewall(world)
    await world.as('restricted').put(`/firewalls/${first}`, { name: 'other' })
    assertRefused(await world.readOnly.delete(`/firewalls/${second}`), 'token_readonly')
    world.clock.advance(day)
    await world.api.delete(`/firewalls/${second}`)
    const count = async (query: string) => (await logged(world, query)).length
    assert.equal(await count(''), 5)
    const expected: Record<string, number> = {
      'actor=person': 1,
      'actor=token': 4,
      'actor=restricted@example.com': 1,
      'operation=DELETE': 2,
      'operation=POST%20/firewalls': 2,
      'family=firewalls': 5,
      'family=servers': 0,
      'outcome=ok': 4,
      'outcome=refused': 1,
      'outcome=token_readonly': 1,
      [`resource=${first}`]: 2,
      [`resource=${second}`]: 3,
      'since=2026-11-22': 4,
      'since=2026-11-22T12:00:00Z': 4,
      'since=2026-11-22T12:00:01Z': 1,
      'until=2026-11-22T12:00:00Z': 1,
      'until=2026-11-23': 4,
      'since=2026-11-22&until=2026-11-23&outcome=ok': 2,
    }
    for (const [query, entries] of Object.entries(expected)) assert.equal(await count(query), entries, query)
    const reader = world.as('admin')
    const url = await ofProject(world, '/audit?per_page=2')
    const ids: number[] = []
    for (let next: string = url, pages = 0; pages < 3; pages++) {
      const { body } = await reader.get(next)
      ids.push(...body.audit.map(({ id }: LoggedEntry) => id))
      if (pages === 2) assert.equal(body.meta.next, null)
      next = `${url}&before=${body.meta.next}`
    }
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => b - a),
    )
    assert.equal(ids.length, 5)
    for (const bad of ['since=yesterday', 'before=x', 'per_page=0', 'until=2026-13-01']) {
      assertRefused(await reader.get(`${url}&${bad}`), 'invalid_input')
    }
  })

  test('answers a page however few entries match', async () => {
    const world = await open({ runActions: false })
    const wanted = await firewall(world)
    await fill(world, 11_000)
    const reader = world.as('admin')
    const url = await ofProject(world, `/audit?resource=${wanted}`)
    const first = (await reader.get(url)).body
    assert.deepEqual(first.audit, [])
    const rest = (await reader.get(`${url}&before=${first.meta.next}`)).body
    assert.deepEqual([rest.audit.length, rest.meta.next], [1, null])
  })

  test('is for administrators of the Project, and as a whole for operators', async () => {
    const world = await open({ runActions: false })
    const url = await ofProject(world, '/audit')
    for (const role of ['viewer', 'restricted', 'member'] as const) {
      assertRefused(await world.as(role).get(url), 'forbidden')
    }
    assert.equal((await world.as('admin').get(url)).status, 200)
    const all = `${new URL(world.baseUrl).origin}/console/api/wolke/v1/audit`
    assertRefused(await world.as('owner').get(all), 'forbidden')
    const tokens = await world.api.get(`${new URL(world.baseUrl).origin}/wolke/v1/audit`)
    assertRefused(tokens, 'forbidden')
  })

  test('is CSV that no spreadsheet takes for formulas', async () => {
    const world = await open({ runActions: false })
    const projectId = (await firstProject(world)) as ProjectId
    const name = '=cmd|\' /C calc\'!"A0",\n-1'
    await world.db.transact((tx) =>
      recordEvent(tx, {
        actor: { kind: 'person', id: 7, name },
        projectId,
        operation: '@sum(1)',
        family: '+people',
        subjects: ['-1', 'a,b'],
      }),
    )
    const answer = await world.as('admin').get(await ofProject(world, '/audit?per_page=1'), { accept: 'text/csv' })
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    const [titles, ...lines] = answer.text.split('\r\n')
    assert.match(titles!, /^id,time,actor_kind,actor_id,actor,project_id,project,operation,family,resources,outcome/)
    assert.match(
      lines.join('\r\n'),
      /^\d+,2026-11-21T12:00:00Z,person,7,"'=cmd\|' \/C calc'!""A0"",\n-1",\d+,first,'@sum\(1\),'\+people,"'-1 a,b",ok,0,,,\r\n$/,
    )
    await firewall(world)
    const paged = await world.as('admin').get(await ofProject(world, '/audit?per_page=1'), { accept: 'text/csv' })
    assert.match(
      paged.headers.get('link')!,
      /^<\/console\/api\/wolke\/v1\/projects\/\d+\/audit\?per_page=1&before=\d+>; rel="next"$/,
    )
  })

  test('has what commands change, and what they were refused', async () => {
    const world = await open({ runActions: false })
    await carryOut(['token', 'create', '--secret'], world.db, async (db) => {
      await db.transact(async (tx) => noteTouched(tx, 77))
    })
    const refused = carryOut(['project', 'delete', 'x'], world.db, () => Promise.reject(new Error('no')))
    await assert.rejects(refused, /no/)
    await carryOut(['token', 'list'], world.db, async (db) => void (await db.transact(async () => 1)))
    const { rows } = await sql<{ actor: string; operation: string; resources: string; outcome: string }>`
      select actor, operation, resources, outcome from audit order by id
    `.execute(world.db.query)
    assert.deepEqual(rows, [
      { actor: 'command line', operation: 'wolke token create', resources: '[77]', outcome: 'ok' },
      { actor: 'command line', operation: 'wolke project delete', resources: '[]', outcome: 'refused' },
    ])
  })
})

forDatabasesInTurn('the activity of a Project', (open) => {
  test('knows the requests that started its actions, and those that started none', async () => {
    const world = await open({ runActions: false })
    const body = { server_type: 'cx23', image: 'debian-12' }
    // What happens to one resource within a second cannot be told apart by time.
    const answers = [
      await world.api.post('/servers', { ...body, name: 'a' }),
      await world.api.post('/servers', { ...body, name: 'b' }),
    ]
    await world.settle()
    const { id } = answers[0]!.body.server
    for (const act of ['reboot', 'reset', 'poweroff']) {
      answers.push(await world.api.post(`/servers/${id}/actions/${act}`))
      await world.settle()
    }
    const renamed = await world.api.put(`/servers/${id}`, { name: 'c' })
    const refused = await world.api.post(`/servers/${id}/actions/change_type`, { server_type: 'none' })
    for (const answer of answers) {
      const { action, next_actions: next = [] } = await done(Promise.resolve(answer))
      const [entry] = await entriesOf(world, answer)
      assert.deepEqual(
        entry!.actions,
        [action, ...next].map((started: { id: number }) => started.id),
        entry!.operation,
      )
    }
    for (const answer of [renamed, refused]) assert.deepEqual((await entriesOf(world, answer))[0]!.actions, [])
    const reader = world.as('viewer')
    const { activity } = await done(reader.get(await ofProject(world, '/activity')))
    const started = (await logged(world)).flatMap(({ actions }) => actions)
    assert.deepEqual(started.sort(), activity.map((action: { id: number }) => action.id).sort())
  })

  test('tells which failures stand', async () => {
    const world = await open({ runActions: false })
    const standing = async (query = '') => {
      const page = await world.as('viewer').get(await ofProject(world, `/activity?standing=true${query}`))
      return (await done(Promise.resolve(page))).activity.map((action: { command: string }) => action.command)
    }
    const make = async (name: string) => {
      const { volume } = await done(world.api.post('/volumes', { name, size: 10, location: 'fsn1' }))
      await world.settle()
      return volume.id as number
    }
    const resize = async (id: number, size: number, fails: boolean) => {
      world.simulation.behave(({ driver }) => (fails && driver === 'volumes' ? 'error before effect' : undefined))
      await done(world.api.post(`/volumes/${id}/actions/resize`, { size }))
      await world.settle()
    }
    const [one, other] = [await make('one'), await make('other')]
    assert.deepEqual(await standing(), [])
    await resize(one, 20, true)
    await resize(one, 20, true)
    assert.deepEqual(await standing(), ['resize_volume'], 'the same once')
    await resize(other, 30, false)
    assert.deepEqual(await standing(), ['resize_volume'], 'success with another one')
    await resize(other, 40, true)
    assert.deepEqual(await standing(), ['resize_volume', 'resize_volume'])
    assert.deepEqual(await standing('&per_page=1'), ['resize_volume'])
    assert.deepEqual(await standing('&family=servers'), [])
    await resize(one, 20, false)
    assert.deepEqual(await standing(), ['resize_volume'], 'success with the same one')
    const summary = async () =>
      (await done(world.api.get('/../wolke/v1/projects?summary=true'))).projects[0].summary.failed_resources
    assert.equal(await summary(), 1)
    await done(world.api.delete(`/volumes/${other}`))
    assert.equal(await summary(), 0, 'what is gone needs nobody')
  })

  test('has the actions of all families, newest first', async () => {
    const world = await open({ runActions: false })
    const rules = [{ direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0'] }]
    const id = await firewall(world)
    await done(world.api.post(`/firewalls/${id}/actions/set_rules`, { rules }))
    await done(world.api.post('/servers', { name: 'a', server_type: 'cx23', image: 'debian-12' }))
    const reader = world.as('viewer')
    const read = async (query: string) => (await done(reader.get(await ofProject(world, `/activity${query}`)))).activity
    const all = (await read('')) as { id: number; status: string; family: string; command: string }[]
    assert.deepEqual(
      all.map((action) => action.id),
      all.map((action) => action.id).sort((a, b) => b - a),
    )
    assert.ok(all.some(({ family }) => family === 'servers') && all.some(({ family }) => family === 'firewalls'))
    const running = await read('?status=running')
    assert.deepEqual(
      running,
      all.filter(({ status }) => status === 'running'),
    )
    assert.ok(running.length > 0 && running.length < all.length)
    assert.deepEqual(
      await read('?family=firewalls&status=success'),
      all.filter(({ family, status }) => family === 'firewalls' && status === 'success'),
    )
    await world.settle()
    assert.deepEqual(await read('?status=running'), [])
    const url = await ofProject(world, '/activity?per_page=1')
    const found: number[] = []
    for (let before = ''; ; ) {
      const { body } = await reader.get(url + before)
      found.push(...body.activity.map((action: { id: number }) => action.id))
      if (body.meta.next === null) break
      before = `&before=${body.meta.next}`
    }
    assert.deepEqual(
      found,
      all.map((action) => action.id),
    )
    assert.equal((await read('?since=2026-11-22')).length, 0)
    world.clock.advance(100 * day)
    assert.deepEqual(await read(''), [], 'as long as actions are kept')
  })
})
