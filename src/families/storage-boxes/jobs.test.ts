import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Gate, gate, until } from '../../../test/kit/database/bare-database.ts'
import { forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { DriverError, type Drivers } from '../../kernel/actions/define.ts'
import { audited } from '../../kernel/audit/audited.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { Platform } from '../../platform.ts'
import { mostKeys } from './domain.ts'
import type { BoxState, NoteKey } from './driver.ts'
import { followDoors, keepDoors } from './jobs.ts'
import { boxBody, boxOf, makeBox, makeSnapshot } from './proof.ts'
import { measure } from './snapshots/jobs.ts'

/** The doors of another process over the same database, and what they were told since they were asked last. */
function besides({ db: plain, secrets, simulation }: World) {
  const db = audited(plain)
  const known = new Map<number, number>()
  const told: string[] = []
  let noting: NoteKey = async () => 'nobody notes keys'
  let isBroken = false
  const busy = new Map<number, Gate>()
  const doors = {
    opened: { ssh: '192.0.2.1:23', webdav: null },
    isConfined: true,
    known: () => known,
    noteKeys(note: NoteKey) {
      noting = note
    },
    async forget(id: number) {
      known.delete(id)
      told.push('gone')
    },
  }
  const apply = async ({ id, generation, accounts }: BoxState) => {
    if (isBroken) throw new DriverError('nobody answers', { transient: true })
    await busy.get(id)?.pass()
    known.set(id, generation)
    told.push(accounts.map(({ hasSsh }) => (hasSsh ? 'open' : 'closed')).join(' '))
  }
  const storageBoxes = Object.create(simulation.drivers.storageBoxes, {
    doors: { value: doors },
    apply: { value: apply },
  })
  const drivers: Drivers = { ...simulation.drivers, storageBoxes }
  const after = async (work: (platform: Pick<Platform, 'db' | 'secrets'>, drivers: Drivers) => Promise<void>) => {
    await work({ db, secrets }, drivers)
    return told.splice(0)
  }
  const breakDown = () => {
    isBroken = true
  }
  /** Keeps a box in use until the gate opens. */
  const use = (id: number, free: Gate) => void busy.set(id, free)
  return { after, breakDown, use, known, install: (box: number, key: string) => noting(box, `u${box}`, key) }
}

const key = (n: number) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb4E0cK+1Ea8AmYwyBjCpPhjmNCnbh44gdb2HpUn8E2 ${n}`

forEachDatabase('doors of another process', (open) => {
  test('are told of what actions have changed, once and soon, and of all boxes in rounds', async () => {
    const world = await open()
    const { api, settle } = world
    const { after } = besides(world)
    assert.deepEqual(await after(followDoors), [])
    const id = await makeBox(world)
    assert.deepEqual(await after(followDoors), ['closed'])
    assert.deepEqual(await after(followDoors), [])
    const path = `/storage_boxes/${id}`
    await done(api.post(`${path}/actions/update_access_settings`, { ssh_enabled: true }))
    await settle()
    assert.deepEqual(await after(followDoors), ['open'])
    const late = besides(world)
    assert.deepEqual(await late.after(keepDoors), ['open'])
    await done(api.delete(path))
    await settle()
    assert.deepEqual(await after(followDoors), ['gone'])
    assert.deepEqual(await after(followDoors), [])
    assert.deepEqual(await late.after(keepDoors), ['gone'])
  })

  test('are told at once of a key that somebody has installed elsewhere', async () => {
    const world = await open()
    const id = await makeBox(world, { access_settings: { ssh_enabled: true } })
    const [here, there] = [besides(world), besides(world)]
    await here.after(keepDoors)
    assert.deepEqual(await there.after(followDoors), ['open'])
    assert.equal(await here.install(id, key(0)), undefined)
    assert.deepEqual(await there.after(followDoors), ['open'])
    assert.deepEqual(await there.after(followDoors), [])
    // Long after the action that made the box it is the same.
    await world.db.transact((tx) => tx.drawIds(3_000))
    await makeBox(world)
    await there.after(followDoors)
    assert.equal(await here.install(id, key(1)), undefined)
    assert.deepEqual(await there.after(followDoors), ['open'])
  })

  test('are told of others while one box is in use, and of that one once it is free', async () => {
    const world = await open()
    const ids = [await makeBox(world), await makeBox(world), await makeBox(world)]
    for (const job of [keepDoors, followDoors]) {
      const { after, use, known } = besides(world)
      const free = gate()
      use(ids[0]!, free)
      await after(job)
      await until(() => ids.slice(1).every((id) => known.has(id)), 'the doors know those that are free')
      await after(job)
      assert.equal(known.has(ids[0]!), false)
      assert.equal(free.arrived, 1, 'it is handed over once')
      free.open()
      await until(() => known.has(ids[0]!), 'the doors know all boxes')
    }
  })

  test('note as many keys as a box may begin with, and say why they note no more', async () => {
    const world = await open()
    const keys = Array.from({ length: mostKeys }, (_, n) => key(n))
    const id = await makeBox(world, { ssh_keys: keys.slice(2) })
    const { after, breakDown, install } = besides(world)
    await after(keepDoors)
    assert.equal(await install(id, key(0)), undefined)
    breakDown()
    assert.equal(await install(id, key(1)), undefined, 'it is noted, whoever can be told of it')
    assert.match((await install(id, key(mostKeys)))!, /more than 100 keys/)
    const { ssh_keys: noted } = await acrossProjects(world.db.query)
      .selectFrom('storage_box')
      .select('ssh_keys')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(new Set(JSON.parse(noted)), new Set(keys))
    world.simulation.behave(({ method }) => (method === 'apply' ? 'error before effect' : undefined))
    const { storage_box } = await done(world.api.post('/storage_boxes', boxBody()))
    await world.settle()
    assert.match((await install(storage_box.id, key(0)))!, /no such account/)
  })
})

forEachDatabase('what boxes take', (open) => {
  test('is not what it was before an action that has ended meanwhile', async () => {
    const world = await open()
    const { api, settle, db, simulation } = world
    const id = await makeBox(world)
    const snapshot = await makeSnapshot(world, id)
    const { storageBoxes } = simulation.drivers
    let meanwhile = async () => {
      await done(api.delete(`/storage_boxes/${id}/snapshots/${snapshot}`))
      await settle()
    }
    const usage = async (box: number) => {
      if (box !== id) return storageBoxes.usage(box)
      await meanwhile()
      return { data: 4_096, snapshots: 8_192, bySnapshot: new Map() }
    }
    const drivers: Drivers = {
      ...simulation.drivers,
      storageBoxes: Object.create(storageBoxes, { usage: { value: usage } }),
    }
    const sizes = async () => {
      await measure({ db } as Platform, drivers)
      const { size_data, size_snapshots } = (await boxOf(world, id)).stats
      return [size_data, size_snapshots]
    }
    assert.deepEqual(await sizes(), [0, 0])
    meanwhile = async () => undefined
    assert.deepEqual(await sizes(), [4_096, 8_192])
  })
})
