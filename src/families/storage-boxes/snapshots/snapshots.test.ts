import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { assertRefused } from '../../../../test/kit/refusals.ts'
import { expect, outcomeOf, refused, tally } from '../../../../test/kit/resources.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { boxOf, makeBox, makeSnapshot, makeSubaccount } from '../proof.ts'
import { nameOf, nextOf, type SnapshotPlan, timeOfName } from './domain.ts'

interface Shown {
  readonly id: number
  readonly name: string
}

const listed = async ({ api }: World, box: number, query = ''): Promise<readonly Shown[]> =>
  (await done(api.get(`/storage_boxes/${box}/snapshots${query}`))).snapshots

const daily: SnapshotPlan = { maxSnapshots: 2, minute: 30, hour: 3, dayOfWeek: null, dayOfMonth: null }
const next = (plan: Partial<SnapshotPlan>, after: string) =>
  new Date(nextOf({ ...daily, ...plan }, Date.parse(after))).toISOString().slice(0, 16)

test('a plan has its next snapshot on the next day that is all of what it says, in UTC', () => {
  assert.equal(next({}, '2026-11-21T03:29:59Z'), '2026-11-21T03:30')
  assert.equal(next({}, '2026-11-21T03:30:00Z'), '2026-11-22T03:30')
  // The 21st of November 2026 is a Saturday.
  assert.equal(next({ dayOfWeek: 6 }, '2026-11-21T00:00:00Z'), '2026-11-21T03:30')
  assert.equal(next({ dayOfWeek: 7 }, '2026-11-21T00:00:00Z'), '2026-11-22T03:30')
  assert.equal(next({ dayOfWeek: 1 }, '2026-11-21T00:00:00Z'), '2026-11-23T03:30')
  assert.equal(next({ dayOfMonth: 31 }, '2026-11-21T00:00:00Z'), '2026-12-31T03:30')
  assert.equal(next({ dayOfMonth: 31 }, '2026-12-31T03:30:00Z'), '2027-01-31T03:30')
  assert.equal(next({ dayOfMonth: 29 }, '2027-01-29T12:00:00Z'), '2027-03-29T03:30')
  assert.equal(next({ dayOfWeek: 5, dayOfMonth: 13 }, '2026-11-21T00:00:00Z'), '2027-08-13T03:30')
})

test('a snapshot is called by its time, and by the rhythm of its plan', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const time = timeOfName(now, '')
  assert.equal(nameOf(time, undefined), '2026-11-21T12-00-00')
  assert.equal(nameOf(timeOfName(now, time), undefined), '2026-11-21T12-00-01')
  assert.equal(nameOf(timeOfName(now, '2026-11-20T12:00:00Z'), undefined), '2026-11-21T12-00-00')
  assert.equal(nameOf(time, daily), 'snapshot-daily--2026-11-21T12-00-00')
  assert.equal(nameOf(time, { ...daily, dayOfWeek: 1 }), 'snapshot-weekly--2026-11-21T12-00-00')
  assert.equal(nameOf(time, { ...daily, dayOfMonth: 1 }), 'snapshot-monthly--2026-11-21T12-00-00')
})

forProjects('snapshots of Storage Boxes', (open) => {
  test('one is answered with its ids alone, and has exactly the documented fields', async () => {
    const world = await open({ runActions: false, clock: testClock() })
    const { api, settle } = world
    const box = await makeBox(world)
    const asked = { description: 'before: <1> (a)', labels: { env: 'prod' } }
    const { snapshot, action } = expect(await api.post(`/storage_boxes/${box}/snapshots`, asked), 201).body
    assert.deepEqual(snapshot, { id: snapshot.id, storage_box: box })
    assert.equal(action.command, 'create_snapshot')
    assert.deepEqual(action.resources, [
      { id: box, type: 'storage_box' },
      { id: snapshot.id, type: 'storage_box_snapshot' },
    ])
    await settle()
    const { snapshot: shown } = await done(api.get(`/storage_boxes/${box}/snapshots/${snapshot.id}`))
    assert.deepEqual(shown, {
      id: snapshot.id,
      storage_box: box,
      name: '2026-11-21T12-00-00',
      ...asked,
      stats: { size: 0, size_filesystem: 0 },
      is_automatic: false,
      created: '2026-11-21T12:00:00Z',
    })
    const whole = (await api.get(`/storage_boxes/${box}/snapshots`)).body
    assert.deepEqual(whole, { snapshots: [shown] })
  })

  test('all of a box are listed at once, filtered and sorted, and none of another one', async () => {
    const world = await open()
    const { api, foreign } = world
    const [box, other] = [await makeBox(world), await makeBox(world)]
    const made: number[] = []
    for (const labels of [{ a: '1' }, { a: '2' }, {}]) made.push(await makeSnapshot(world, box, { labels }))
    const elsewhere = await makeSnapshot(world, other)
    const ids = async (query: string) => (await listed(world, box, query)).map(({ id }) => id)
    assert.deepEqual(await ids(''), made)
    assert.deepEqual(await ids('?sort=name:desc'), made.toReversed())
    assert.deepEqual(await ids('?label_selector=a'), made.slice(0, 2))
    assert.deepEqual(await ids('?is_automatic=true'), [])
    assert.deepEqual(await ids('?is_automatic=false&sort=created&sort=id:desc'), made.toReversed())
    const { name } = (await listed(world, box))[1]!
    assert.deepEqual(await ids(`?name=${name}`), [made[1]])
    for (const bad of ['sort=size', 'is_automatic=perhaps', 'label_selector=%3D']) {
      assertRefused(await api.get(`/storage_boxes/${box}/snapshots?${bad}`), 'invalid_input')
    }
    const path = `/storage_boxes/${box}/snapshots/${elsewhere}`
    for (const answer of [await api.get(path), await api.put(path, {}), await api.delete(path)]) {
      assertRefused(answer, 'not_found')
      assert.equal(answer.body.error.message, `snapshot with ID '${elsewhere}' not found`)
    }
    assertRefused(await foreign.get(`/storage_boxes/${box}/snapshots`), 'not_found')
    assertRefused(await foreign.get(`/storage_boxes/${box}/snapshots/${made[0]}`), 'not_found')
  })

  test('description and labels change, its name does not', async () => {
    const world = await open()
    const { api } = world
    const box = await makeBox(world)
    const path = `/storage_boxes/${box}/snapshots/${await makeSnapshot(world, box, { description: 'a' })}`
    const { snapshot } = expect(await api.put(path, { description: '', labels: { b: 'c' } }), 200).body
    assert.deepEqual([snapshot.description, snapshot.labels], ['', { b: 'c' }])
    assert.deepEqual((await done(api.get(path))).snapshot, snapshot)
    const found = await listed(world, box, '?label_selector=b%3Dc')
    assert.equal(found.length, 1)
    refused(await api.put(path, { description: 'ä' }), 'description')
    refused(await api.put(path, { name: 'mine' }), 'name')
    refused(await api.post(`/storage_boxes/${box}/snapshots`, { description: 'x'.repeat(1_001) }), 'description')
  })

  test('of parallel requests one makes a snapshot, the others are locked', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const box = await makeBox(world)
    const send = () => api.post(`/storage_boxes/${box}/snapshots`, {})
    const answers = await Promise.all([send(), send(), send(), send()])
    assert.deepEqual(tally(answers), { 201: 1, '423 locked': 3 })
    await settle()
    assert.equal((await listed(world, box)).length, 1)
  })

  test('one that could not be made is gone, and one that could not be removed is there', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, settle, simulation } = world
    const box = await makeBox(world)
    simulation.behave(({ method }) => (method === 'createSnapshot' ? 'error after effect' : undefined))
    const { snapshot, action } = expect(await api.post(`/storage_boxes/${box}/snapshots`, {}), 201).body
    await settle()
    simulation.behave(() => undefined)
    assert.equal((await outcomeOf(api, action)).status, 'error')
    assertRefused(await api.get(`/storage_boxes/${box}/snapshots/${snapshot.id}`), 'not_found')
    assert.deepEqual(world.simulation.world.storageBoxes.get(box)!.snapshots, {})
    const kept = await makeSnapshot(world, box)
    simulation.behave(({ method }) => (method === 'deleteSnapshot' ? 'error before effect' : undefined))
    expect(await api.delete(`/storage_boxes/${box}/snapshots/${kept}`), 201)
    await settle()
    simulation.behave(() => undefined)
    assert.deepEqual(
      (await listed(world, box)).map(({ id }) => id),
      [kept],
    )
    expect(await api.delete(`/storage_boxes/${box}/snapshots/${kept}`), 201)
    await settle()
    assert.deepEqual(await listed(world, box), [])
    await checkConsistency(world, { pendingToo: true })
  })

  test('a rollback brings back the directories of its time, and newer snapshots go', async () => {
    const world = await open()
    const { api, settle } = world
    const box = await makeBox(world)
    await makeSubaccount(world, box, { home_directory: 'old' })
    const first = await makeSnapshot(world, box)
    await makeSubaccount(world, box, { home_directory: 'new' })
    await makeSnapshot(world, box)
    const folders = async () => (await done(api.get(`/storage_boxes/${box}/folders`))).folders
    assert.deepEqual(await folders(), ['new', 'old'])
    const back = (snapshot: unknown) => api.post(`/storage_boxes/${box}/actions/rollback_snapshot`, { snapshot })
    const { action } = expect(await back(first), 201).body
    assert.deepEqual(action.resources, [
      { id: box, type: 'storage_box' },
      { id: first, type: 'storage_box_snapshot' },
    ])
    await settle()
    assert.deepEqual(await folders(), ['old'])
    assert.deepEqual(
      (await listed(world, box)).map(({ id }) => id),
      [first],
    )
    for (const named of [String(first), (await listed(world, box))[0]!.name]) {
      expect(await back(named), 201)
      await settle()
    }
    const other = await makeBox(world)
    for (const missing of ['nothing', 4_000_000_000_000_000, await makeSnapshot(world, other)]) {
      assertRefused(await back(missing), 'not_found')
    }
    refused(await api.post(`/storage_boxes/${box}/actions/rollback_snapshot`, {}), 'snapshot')
  })

  test('a plan is shown, replaced and taken away, and its snapshots stay', async () => {
    const world = await open()
    const { api } = world
    const box = await makeBox(world)
    const enable = (plan: object) => api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, plan)
    const plan = { max_snapshots: 10, minute: 16, hour: 18, day_of_week: 3, day_of_month: null }
    const { action } = expect(await enable(plan), 201).body
    assert.deepEqual([action.command, action.status], ['enable_snapshot_plan', 'success'])
    assert.deepEqual((await boxOf(world, box)).snapshot_plan, plan)
    expect(await enable({ max_snapshots: 3, minute: 0, hour: 0 }), 201)
    const { snapshot_plan } = await boxOf(world, box)
    assert.deepEqual([snapshot_plan.max_snapshots, snapshot_plan.day_of_week], [3, null])
    expect(await api.put(`/storage_boxes/${box}`, { name: 'renamed' }), 200)
    assert.deepEqual((await boxOf(world, box)).snapshot_plan, snapshot_plan)
    refused(await enable({ max_snapshots: 11, minute: 0, hour: 0 }), 'max_snapshots')
    refused(await enable({ max_snapshots: 1, minute: 60, hour: 24 }), 'minute', 'hour')
    refused(await enable({ max_snapshots: 1 }), 'minute', 'hour')
    expect(await api.post(`/storage_boxes/${box}/actions/disable_snapshot_plan`), 201)
    assert.equal((await boxOf(world, box)).snapshot_plan, null)
  })

  test('a plan makes snapshots by the clock, and the oldest of them go when there are too many', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ clock, runActions: false })
    const { api, settle, app } = world
    const box = await makeBox(world)
    const own = await makeSnapshot(world, box)
    const plan = { max_snapshots: 2, minute: 30, hour: 3 }
    expect(await api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, plan), 201)
    const pass = async (time: string) => {
      clock.set(time)
      await app.jobs.run()
      await settle()
      return (await listed(world, box, '?is_automatic=true')).map(({ name }) => name.slice(0, 26))
    }
    const named = (day: number) => `snapshot-daily--2026-11-${day}`
    assert.deepEqual(await pass('2026-11-22T03:29:00Z'), [])
    assert.deepEqual(await pass('2026-11-22T03:30:00Z'), [named(22)])
    assert.deepEqual(await pass('2026-11-22T03:31:00Z'), [named(22)])
    assert.deepEqual(await pass('2026-11-23T03:30:10Z'), [named(22), named(23)])
    // What was missed while nothing ran is made once.
    assert.deepEqual(await pass('2026-11-26T09:00:00Z'), [named(23), named(26)])
    assert.deepEqual(
      (await listed(world, box, '?is_automatic=false')).map(({ id }) => id),
      [own],
    )
    expect(await api.post(`/storage_boxes/${box}/actions/disable_snapshot_plan`), 201)
    assert.deepEqual(await pass('2026-11-28T09:00:00Z'), [named(23), named(26)])
    await checkConsistency(world, { pendingToo: true })
  })

  test('a plan waits for what its box is doing', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ clock, runActions: false })
    const { api, settle, app } = world
    const box = await makeBox(world)
    const plan = { max_snapshots: 2, minute: 30, hour: 3 }
    expect(await api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, plan), 201)
    clock.set('2026-11-22T04:00:00Z')
    expect(await api.post(`/storage_boxes/${box}/snapshots`, {}), 201)
    await app.jobs.run()
    assert.equal((await listed(world, box)).length, 1)
    await settle()
    await app.jobs.run()
    await settle()
    assert.equal((await listed(world, box, '?is_automatic=true')).length, 1)
  })

  /** A box with a plan of two snapshots, and the names of those after a time has come. */
  async function planned(world: World, clock: ReturnType<typeof testClock>) {
    const box = await makeBox(world)
    const plan = { max_snapshots: 2, minute: 30, hour: 3 }
    expect(await world.api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, plan), 201)
    const on = async (day: number) => {
      clock.set(`2026-11-${day}T04:00:00Z`)
      await world.app.jobs.run()
      await world.settle()
      return (await listed(world, box, '?is_automatic=true')).map(({ name }) => Number(name.slice(24, 26)))
    }
    return { box, on }
  }

  test('a snapshot that somebody asks for takes none of a plan away', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ clock, runActions: false })
    const { box, on } = await planned(world, clock)
    assert.deepEqual([await on(22), await on(23)], [[22], [22, 23]])
    const fewer = { max_snapshots: 1, minute: 30, hour: 3 }
    expect(await world.api.post(`/storage_boxes/${box}/actions/enable_snapshot_plan`, fewer), 201)
    await makeSnapshot(world, box)
    assert.equal((await listed(world, box)).length, 3)
    assert.deepEqual(await on(24), [24])
    assert.equal((await listed(world, box)).length, 2)
  })

  test('a rotation that fails leaves the new snapshot, and the next one makes up for it', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ alone: true, clock, runActions: false })
    const { on } = await planned(world, clock)
    assert.deepEqual([await on(22), await on(23)], [[22], [22, 23]])
    world.simulation.behave(({ method }) => (method === 'deleteSnapshot' ? 'error before effect' : undefined))
    assert.deepEqual(await on(24), [22, 23, 24])
    world.simulation.behave(() => undefined)
    assert.deepEqual(await on(25), [24, 25])
    await checkConsistency(world, { pendingToo: true })
  })

  test('a plan needs no room for more snapshots than it may have', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ alone: true, clock, runActions: false })
    const { box, on } = await planned(world, clock)
    const { storageBoxes } = world.simulation.drivers
    const { createSnapshot } = storageBoxes
    storageBoxes.createSnapshot = async (id, name) => {
      const { snapshots } = world.simulation.world.storageBoxes.get(id)!
      const isFull = !(name in snapshots) && Object.keys(snapshots).length >= 2
      if (isFull) throw new DriverError('there is no room', { transient: false, code: 'no_room' })
      return createSnapshot(id, name)
    }
    assert.deepEqual([await on(22), await on(23), await on(24)], [[22], [22, 23], [23, 24]])
    const { action } = expect(await world.api.post(`/storage_boxes/${box}/snapshots`, {}), 201).body
    await world.settle()
    assert.equal((await outcomeOf(world.api, action)).status, 'error')
    assert.deepEqual(await on(24), [23, 24])
    await checkConsistency(world, { pendingToo: true })
  })

  test('what was done to snapshots counts even if what the box takes cannot be told', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, settle, simulation } = world
    const box = await makeBox(world)
    simulation.behave(({ method }) => (method === 'usage' ? 'error before effect' : undefined))
    const kept = await makeSnapshot(world, box)
    const [removed, newer] = [await makeSnapshot(world, box), await makeSnapshot(world, box)]
    const ids = async () => (await listed(world, box)).map(({ id }) => id)
    const answer = await api.delete(`/storage_boxes/${box}/snapshots/${removed}`)
    await settle()
    assert.equal((await outcomeOf(api, expect(answer, 201).body.action)).status, 'success')
    assert.deepEqual(await ids(), [kept, newer])
    expect(await api.post(`/storage_boxes/${box}/actions/rollback_snapshot`, { snapshot: kept }), 201)
    await settle()
    assert.deepEqual(await ids(), [kept])
    simulation.behave(() => undefined)
    await checkConsistency(world, { pendingToo: true })
  })

  for (const method of ['rollback', 'remove']) {
    test(`after a failed ${method} that took effect, only snapshots are shown that are left`, async () => {
      const world = await open({ alone: true, runActions: false })
      const { api, settle, simulation } = world
      const box = await makeBox(world)
      const first = await makeSnapshot(world, box)
      await makeSnapshot(world, box)
      simulation.behave((call) => (call.method === method ? 'error after effect' : undefined))
      const path = `/storage_boxes/${box}`
      const isRemoval = method === 'remove'
      const back = () => api.post(`${path}/actions/rollback_snapshot`, { snapshot: first })
      const { action } = expect(isRemoval ? await api.delete(path) : await back(), 201).body
      await settle()
      simulation.behave(() => undefined)
      assert.equal((await outcomeOf(api, action)).status, 'error')
      assert.deepEqual(
        (await listed(world, box)).map(({ id }) => id),
        isRemoval ? [] : [first],
      )
      await checkConsistency(world, { pendingToo: true })
    })
  }
})
