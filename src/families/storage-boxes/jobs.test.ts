import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import type { Drivers } from '../../kernel/actions/define.ts'
import type { Platform } from '../../platform.ts'
import type { BoxState } from './driver.ts'
import { followDoors, keepDoors } from './jobs.ts'
import { boxOf, makeBox, makeSnapshot } from './proof.ts'
import { measure } from './snapshots/jobs.ts'

/** The doors of another process over the same database, and what they were told since they were asked last. */
function besides({ db, secrets, simulation }: World) {
  const known = new Map<number, number>()
  const told: string[] = []
  const doors = {
    opened: { ssh: '192.0.2.1:23', webdav: null },
    isConfined: true,
    known: () => known,
    noteKeys: () => undefined,
    async forget(id: number) {
      known.delete(id)
      told.push('gone')
    },
  }
  const apply = async ({ id, generation, accounts }: BoxState) => {
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
  return { after }
}

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
