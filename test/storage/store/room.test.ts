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

/** Writes as a door does: asks, charges, and writes at most so much at once. Returns how much was written. */
async function writeAll(store: Store, id: number, path: string, bytes: number, atOnce = 65_536): Promise<number> {
  const file = openSync(path, 'a')
  let written = 0
  try {
    for (; written < bytes; written += atOnce) {
      const { used, limit } = await store.quota(id)
      if (!store.hasKernelQuota && used >= limit) break
      await store.charge(id, atOnce)
      writeSync(file, crypto.getRandomValues(new Uint8Array(atOnce)))
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
    for (const store of [one, two]) {
      await until(async () => (await store.quota(1)).used >= used + 7 * megabyte)
      assert.equal((await store.quota(1)).used, used + 7 * megabyte)
    }
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
