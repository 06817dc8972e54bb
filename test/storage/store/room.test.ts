/** Boxes take room and may take only so much, and disks get full. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../../src/drivers/storage/store/store.ts'
import { DriverError } from '../../../src/kernel/actions/define.ts'
import { box, kinds, makeGround, megabyte, openAt, skipsImages } from './kit/grounds.ts'

/** File systems take so much for themselves. */
const slack = megabyte
const isNear = (actual: number, expected: number) => Math.abs(actual - expected) <= slack

const random = (bytes: number) => {
  const all = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(all.subarray(at, at + 65_536))
  return all
}

/** Writing beyond the kernel's limit fails like this; Node.js has no name for it. */
const isOverQuota = (error: unknown) => (error as NodeJS.ErrnoException).errno === -122

/** Writes as a door does: asks, charges, writes at most so much at once, and says so. Returns how much was written. */
async function writeAll(store: Store, id: number, path: string, bytes: number, atOnce = 65_536): Promise<number> {
  const file = openSync(path, 'a')
  let written = 0
  try {
    for (; written < bytes; written += atOnce) {
      const { used, limit } = await store.quota(id)
      if (!store.hasKernelQuota && used >= limit) break
      await store.charge(id, atOnce)
      writeSync(file, crypto.getRandomValues(new Uint8Array(atOnce)))
      store.written(id, atOnce)
    }
  } catch (error) {
    if (!isOverQuota(error)) throw error
  } finally {
    closeSync(file)
  }
  return written
}

for (const { kind, skip } of kinds) {
  describe(`The room of boxes (${kind})`, { skip }, () => {
    test('is told as it is, for files and for each snapshot', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      await writeAll(store, 1, join(files, 'kept'), 10 * megabyte)
      await writeAll(store, 1, join(files, 'removed'), 20 * megabyte)
      await store.createSnapshot(1, 'one')
      rmSync(join(files, 'removed'))
      await store.changed(1)
      const usage = await store.usage(1)
      assert.ok(isNear(usage.data, 10 * megabyte), `${usage.data}`)
      const one = usage.bySnapshot.get('one')!
      assert.ok(isNear(one.filesystem, 30 * megabyte), `${one.filesystem}`)
      // Copies share nothing that a count could tell.
      assert.ok(isNear(one.size, (kind === 'btrfs' ? 20 : 30) * megabyte), `${one.size}`)
      assert.ok(isNear(usage.snapshots, one.size))
      const { used } = await store.quota(1)
      assert.ok(isNear(used, usage.data + usage.snapshots), `${used}`)

      await store.deleteSnapshot(1, 'one')
      const after = await store.usage(1)
      assert.ok(isNear(after.data, 10 * megabyte))
      assert.ok(after.snapshots <= slack)
      assert.equal(after.bySnapshot.size, 0)
    })

    test('counts what is written, not how long a file says it is', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      writeFileSync(join(files, 'sparse'), 'start')
      truncateSync(join(files, 'sparse'), 5_000_000_000)
      await store.changed(1)
      assert.ok((await store.usage(1)).data <= slack)
      await store.createSnapshot(1, 'one')
      const copy = statSync(join((await store.paths(1)).bySnapshot.get('one')!, 'sparse'))
      assert.equal(copy.size, 5_000_000_000)
      assert.ok(copy.blocks * 512 <= slack)
    })

    test('ends at the limit of files and snapshots together, and can be had back', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1, { bytes: 60 * megabyte }))
      const { files } = await store.paths(1)
      assert.ok((await writeAll(store, 1, join(files, 'first'), 25 * megabyte)) >= 25 * megabyte)
      await store.createSnapshot(1, 'one')
      // Bytes that are written over take room anew, as the snapshot keeps those that were there.
      if (kind === 'btrfs') writeFileSync(join(files, 'first'), random(24 * 1_048_576))
      const more = await writeAll(store, 1, join(files, 'more'), 60 * megabyte)
      assert.ok(more < 20 * megabyte, `${more}`)
      await store.changed(1)
      const usage = await store.usage(1)
      assert.ok(usage.data + usage.snapshots <= 60 * megabyte + slack)
      if (!store.hasKernelQuota) await assert.rejects(store.createSnapshot(1, 'two'), /no room left/)

      await store.deleteSnapshot(1, 'one')
      assert.ok((await writeAll(store, 1, join(files, 'again'), 10 * megabyte)) >= 10 * megabyte)
      await store.apply(box(1, { generation: 2, bytes: 100 * megabyte }))
      assert.equal((await store.quota(1)).limit, 100 * megabyte)
      assert.ok((await writeAll(store, 1, join(files, 'larger'), 20 * megabyte)) >= 20 * megabyte)
    })

    test('is known right after a restart', async (t) => {
      const directory = await makeGround(t, kind)
      const first = await openAt(directory, { kind })
      await first.apply(box(1))
      const { files } = await first.paths(1)
      await writeAll(first, 1, join(files, 'file'), 10 * megabyte)
      await first.createSnapshot(1, 'one')
      await first.charge(1, megabyte)
      await first.close()
      // Some program goes on writing while no server runs.
      writeFileSync(join(files, 'beside'), random(5 * 1_048_576))
      const second = await openAt(directory, { kind })
      const usage = await second.usage(1)
      assert.ok(isNear(usage.data, 15.2 * megabyte), `${usage.data}`)
      assert.equal(usage.bySnapshot.size, 1)
    })
  })
}

/** Waits until something is so; what never is ends with an error. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 600; !(await isSo()); left--) {
    if (left === 0) throw new Error('it never is so')
    await delay(50)
  }
}

/** Opens a store, with what has something done after the files were counted and before the count is noted. */
async function openHeld(directory: string) {
  let looks = 0
  let reached = () => {}
  let release: Promise<void> | undefined
  // The store looks before the files are counted and afterwards.
  const isOpen = async () => {
    if (++looks % 2 === 0) reached()
    if (looks % 2 === 0) await release
    return false
  }
  const store = await openAt(directory, { kind: 'plain', isOpen })
  const held = async <T>(counting: Promise<T>, act: () => Promise<void>): Promise<T> => {
    const released = Promise.withResolvers<void>()
    release = released.promise
    await new Promise<void>((resolve) => {
      reached = resolve
    })
    await act()
    release = undefined
    released.resolve()
    return counting
  }
  return [store, held] as const
}

describe('A count', () => {
  test('stays what it is as long as nobody says that something was written', async (t) => {
    const directory = await makeGround(t, 'plain')
    const store = await openAt(directory, { kind: 'plain' })
    await store.apply(box(1))
    const { files } = await store.paths(1)
    const before = await store.usage(1)
    writeFileSync(join(files, 'unseen'), random(5 * 1_048_576))
    assert.equal((await store.usage(1)).data, before.data)
    await store.changed(1)
    assert.ok((await store.usage(1)).data >= 5_000_000)
  })

  test('is shared by processes: one sees within seconds what another one was told', async (t) => {
    const directory = await makeGround(t, 'plain')
    const [one, two] = [await openAt(directory, { kind: 'plain' }), await openAt(directory, { kind: 'plain' })]
    await one.apply(box(1))
    const { used } = await two.quota(1)
    await one.charge(1, 3 * megabyte)
    await two.charge(1, 4 * megabyte)
    one.written(1, 3 * megabyte)
    two.written(1, 4 * megabyte)
    for (const store of [one, two]) {
      await until(async () => (await store.quota(1)).used >= used + 7 * megabyte)
      assert.equal((await store.quota(1)).used, used + 7 * megabyte)
    }
  })

  test('has what is on its way on top of what is found, until it has arrived', async (t) => {
    const store = await openAt(await makeGround(t, 'plain'), { kind: 'plain' })
    await store.apply(box(1))
    const { files } = await store.paths(1)
    await store.charge(1, 5 * megabyte)
    for (const _ of [1, 2]) {
      assert.ok((await store.usage(1)).data >= 5 * megabyte)
      assert.ok((await store.quota(1)).used >= 5 * megabyte)
    }
    writeFileSync(join(files, 'file'), random(5 * megabyte))
    store.written(1, 5 * megabyte)
    assert.ok(isNear((await store.usage(1)).data, 5 * megabyte))
    // One whose writer ended before has no room from then on.
    await store.charge(1, 3 * megabyte)
    store.written(1, 3 * megabyte)
    assert.ok(isNear((await store.usage(1)).data, 5 * megabyte))
    rmSync(join(files, 'file'))
    await store.changed(1)
    assert.ok((await store.usage(1)).data <= slack)
  })

  test('misses nothing that is written while the files are counted, by whom it may be', async (t) => {
    const directory = await makeGround(t, 'plain')
    const [one, held] = await openHeld(directory)
    const two = await openAt(directory, { kind: 'plain' })
    await one.apply(box(1))
    const { files } = await one.paths(1)
    const write = async (store: Store, name: string, megabytes: number, isCharged = false) => {
      if (!isCharged) await store.charge(1, megabytes * megabyte)
      writeFileSync(join(files, name), random(megabytes * megabyte))
      store.written(1, megabytes * megabyte)
    }
    await one.charge(1, 3 * megabyte)
    const counted = await held(one.usage(1), async () => {
      await write(one, 'sent before', 3, true)
      await write(one, 'sent meanwhile', 2)
      assert.ok((await one.quota(1)).used >= 5 * megabyte)
      await write(two, 'by another process', 4)
      await two.close()
    })
    assert.ok(counted.data >= 9 * megabyte, `${counted.data}`)
    assert.ok((await one.quota(1)).used >= 9 * megabyte)
    assert.ok(isNear((await one.usage(1)).data, 9 * megabyte))
  })

  test('has the room again that was made while the files were counted', async (t) => {
    const [store, held] = await openHeld(await makeGround(t, 'plain'))
    await store.apply(box(1))
    const { files } = await store.paths(1)
    await writeAll(store, 1, join(files, 'file'), 5 * megabyte)
    let asked: ReturnType<Store['usage']> | undefined
    const counted = await held(store.usage(1), async () => {
      rmSync(join(files, 'file'))
      await store.changed(1)
      asked = store.usage(1)
    })
    assert.ok(counted.data >= 5 * megabyte)
    assert.ok((await asked!).data <= slack)
  })

  test('begins anew where the one on disk was cut off', async (t) => {
    const directory = await makeGround(t, 'plain')
    const first = await openAt(directory, { kind: 'plain' })
    await first.apply(box(1))
    const { files } = await first.paths(1)
    await writeAll(first, 1, join(files, 'file'), 5 * megabyte)
    await first.usage(1)
    await first.close()
    writeFileSync(join(directory, 'store/boxes/1/count.json'), '{"files": 1')
    const second = await openAt(directory, { kind: 'plain' })
    assert.ok(isNear((await second.usage(1)).data, 5 * megabyte))
  })
})

describe('A full disk', { skip: skipsImages }, () => {
  for (const kind of ['ext4', 'reflink', 'btrfs'] as const) {
    test(`fails what needs room, whole, and nothing else (${kind})`, async (t) => {
      const directory = await makeGround(t, kind, kind === 'ext4' ? 120 : 320)
      const store = await openAt(directory, kind === 'ext4' ? {} : { kind })
      if (kind === 'ext4') assert.equal(store.kind, 'plain')
      await store.apply(box(1, { bytes: 10_000 * megabyte }))
      await store.apply(box(2, { bytes: 10_000 * megabyte }))
      const [one, two] = [await store.paths(1), await store.paths(2)]
      mkdirSync(join(one.files, 'many'))
      for (let file = 0; file < 100; file++) writeFileSync(join(one.files, 'many', `${file}`), random(4 * 65_536))
      await store.changed(1)
      await store.createSnapshot(1, 'kept')
      assert.throws(() => execFileSync('dd', ['if=/dev/urandom', `of=${two.files}/all`, 'bs=1M'], { stdio: 'ignore' }))
      await store.changed(2)

      if (kind === 'ext4') {
        await assert.rejects(store.createSnapshot(1, 'too much'), (error: Error) => {
          assert.ok(error instanceof DriverError && error.transient)
          assert.equal(error.message, 'There is no space left for the files of Storage Boxes.')
          return true
        })
        await assert.rejects(store.rollback(1, 'kept', [], 1), /no space left/)
      }
      assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
      const { files, bySnapshot } = await store.paths(1)
      assert.deepEqual([...bySnapshot.keys()], ['kept'])
      assert.equal(readdirSync(join(files, 'many')).length, 100)
      assert.ok((await store.usage(1)).data >= 100 * 4 * 65_536)

      // Whoever deletes hands the box over before, with homes for which there may be no room.
      await store.apply(box(1, { bytes: 10_000 * megabyte, accounts: [{ home: `${'deep/'.repeat(20)}home` }] }))
      await store.deleteSnapshot(1, 'kept')
      await store.remove(2, 2)
      await store.createSnapshot(1, 'again')
      await store.rollback(1, 'again', [], 2)
      assert.equal(readdirSync(join((await store.paths(1)).files, 'many')).length, 100)
    })
  }
})
