/** Stores of every kind keep files, snapshots and generations. */
import assert from 'node:assert/strict'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Store } from '../../../src/drivers/storage/store/store.ts'
import { DriverError } from '../../../src/kernel/actions/define.ts'
import { box, kinds, makeGround, megabyte, openAt } from './kit/grounds.ts'
import { digestOf, fillOddly } from './kit/trees.ts'

const isNotFound = (error: unknown) => error instanceof DriverError && error.code === 'not_found' && !error.transient

for (const { kind, skip } of kinds) {
  describe(`A store of the kind ${kind}`, { skip }, () => {
    test('is chosen by what the directory can do, says why, and stays', async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory)
      if (kind !== 'plain') assert.equal(store.kind, kind)
      assert.match(store.reason, /^[^\n]+$/)
      assert.equal(store.hasKernelQuota, store.kind === 'btrfs')
      assert.equal((await openAt(directory)).kind, store.kind)
      const other = store.kind === 'plain' ? 'reflink' : 'plain'
      await assert.rejects(openAt(directory, { kind: other }), /are kept as .*, so they cannot be kept as/)
    })

    test('makes a box with the homes of its accounts, which belong to nobody else', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      const accounts = [{ home: '' }, { home: 'backups/web 1' }, { home: './backups//db/' }, { home: '../../up' }]
      await store.apply(box(1, { accounts }))
      await store.apply(box(2))
      const [one, two] = [await store.paths(1), await store.paths(2)]
      assert.deepEqual(await store.folders(1, '.'), ['backups', 'up'])
      assert.deepEqual(await store.folders(1, '/backups'), ['db', 'web 1'])
      assert.equal(statSync(join(one.files, 'backups/web 1')).uid, one.owner.uid)
      assert.equal(statSync(one.files).gid, one.owner.gid)
      if (process.getuid!() === 0) assert.notEqual(one.owner.uid, two.owner.uid)
      assert.equal(lstatSync(join(one.files, '../..')).mode & 0o777, 0o700)
    })

    test('knows no box, directory or snapshot that is not there', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      writeFileSync(join(files, 'file'), '')
      symlinkSync('/etc', join(files, 'link'))
      for (const path of ['missing', 'file', 'link', 'link/ssh', 'x'.repeat(300)]) {
        await assert.rejects(store.folders(1, path), isNotFound)
      }
      await assert.rejects(store.paths(2), isNotFound)
      await assert.rejects(store.usage(2), isNotFound)
      await assert.rejects(store.quota(2), isNotFound)
      await assert.rejects(store.createSnapshot(2, 'a'), isNotFound)
      await assert.rejects(store.rollback(1, 'a', [], 1), isNotFound)
      await store.deleteSnapshot(1, 'a')
      await store.deleteSnapshot(2, 'a')
      await store.remove(2, 1)
    })

    test('brings back everything that a snapshot holds, and removes what is newer', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      await fillOddly(files)
      await store.changed(1)
      const before = await digestOf(files)
      await store.createSnapshot(1, 'first')
      writeFileSync(join(files, 'folder/text'), 'changed')
      mkdirSync(join(files, 'new'))
      await store.createSnapshot(1, 'second')
      await store.createSnapshot(1, 'third')
      const between = await store.paths(1)
      assert.equal(await digestOf(between.bySnapshot.get('first')!), before)
      assert.equal(readFileSync(join(between.bySnapshot.get('second')!, 'folder/text'), 'utf8'), 'changed')

      await store.rollback(1, 'first', ['second', 'third', 'never was'], 1)
      assert.equal(await digestOf(files), before)
      const after = await store.paths(1)
      assert.deepEqual([...after.bySnapshot.keys()], ['first'])
      writeFileSync(join(after.files, 'random'), 'short')
      assert.equal(await digestOf(after.bySnapshot.get('first')!), before)
      await store.rollback(1, 'first', [], 2)
      assert.equal(await digestOf(files), before)
    })

    test('has everybody leave the files that it replaces or removes, before it does and until it has', async (t) => {
      const seen: string[] = []
      const look = async (id: number) => {
        const path = join(directory, 'store/boxes', `${id}`, 'files/version')
        seen.push(existsSync(path) ? readFileSync(path, 'utf8') : 'nothing')
      }
      const vacate = async (id: number) => {
        await look(id)
        return { [Symbol.asyncDispose]: () => look(id) }
      }
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind, vacate })
      await store.apply(box(7))
      const { files } = await store.paths(7)
      writeFileSync(join(files, 'version'), 'old')
      await store.changed(7)
      await store.createSnapshot(7, 'one')
      writeFileSync(join(files, 'version'), 'new')
      await store.rollback(7, 'one', [], 1)
      await store.remove(7, 2)
      assert.deepEqual(seen, ['new', 'old', 'old', 'nothing'])
    })

    test('has a user for every id, which stays the same', async (t) => {
      const directory = await makeGround(t, kind)
      const first = await openAt(directory, { kind })
      const ids = [10_000_000_001, 2 ** 47 - 1]
      for (const id of ids) await first.apply(box(id))
      const owners = await Promise.all(ids.map((id) => first.ownerOf(id)))
      if (process.getuid!() === 0) assert.notEqual(owners[0]!.uid, owners[1]!.uid)
      await first.close()
      const second = await openAt(directory, { kind })
      for (const id of ids) await second.apply(box(id, { generation: 2 }))
      assert.deepEqual(await Promise.all(ids.map((id) => second.ownerOf(id))), owners)
    })

    test('rolls back once under each number, also after a restart and when the box is removed meanwhile', async (t) => {
      const directory = await makeGround(t, kind)
      const first = await openAt(directory, { kind })
      await first.apply(box(1))
      await first.createSnapshot(1, 'empty')
      const write = async (store: Store, name: string) => {
        await store.changed(1)
        writeFileSync(join((await store.paths(1)).files, name), name)
      }
      await write(first, 'before')
      await first.rollback(1, 'empty', [], 10)
      await write(first, 'after')
      for (const number of [10, 9]) await first.rollback(1, 'empty', [], number)
      // Somebody who is late is told nothing of a snapshot that is gone by now.
      await first.rollback(1, 'is gone', [], 10)
      await first.close()

      const second = await openAt(directory, { kind })
      await second.rollback(1, 'empty', [], 10)
      assert.deepEqual(readdirSync((await second.paths(1)).files), ['after'])
      await second.rollback(1, 'empty', [], 11)
      assert.deepEqual(readdirSync((await second.paths(1)).files), [])
    })

    test('makes no snapshot under a name that was removed, there or not', async (t) => {
      const directory = await makeGround(t, kind)
      const first = await openAt(directory, { kind })
      await first.apply(box(1))
      for (const name of ['base', 'one', 'newer']) await first.createSnapshot(1, name)
      await first.deleteSnapshot(1, 'one')
      await first.deleteSnapshot(1, 'is still to be made')
      await first.rollback(1, 'base', ['newer'], 1)
      await first.deleteSnapshot(2, 'of no box')
      await first.close()

      const second = await openAt(directory, { kind })
      for (const name of ['one', 'is still to be made', 'newer', 'another']) await second.createSnapshot(1, name)
      assert.deepEqual([...(await second.paths(1)).bySnapshot.keys()].sort(), ['another', 'base'])
    })

    test('leaves a snapshot as it is when it is made again', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const { files } = await store.paths(1)
      await store.createSnapshot(1, 'one')
      writeFileSync(join(files, 'later'), '')
      await store.createSnapshot(1, 'one')
      assert.deepEqual(readdirSync((await store.paths(1)).bySnapshot.get('one')!), [])
    })

    test('takes any name of a snapshot for nothing but a name', async (t) => {
      const store = await openAt(await makeGround(t, kind), { kind })
      await store.apply(box(1))
      const names = [
        '2025-02-12T11-35-19',
        '../../escape',
        '..',
        '.',
        '/',
        'a/b',
        '.hidden',
        'a%2Fb',
        'ü',
        '-rf',
        'A',
        'a',
      ]
      for (const name of names) await store.createSnapshot(1, name)
      const { bySnapshot, snapshots } = await store.paths(1)
      assert.deepEqual([...bySnapshot.keys()].sort(), [...names].sort())
      assert.equal(readdirSync(snapshots).length, names.length)
      assert.ok(existsSync(join(snapshots, '2025-02-12T11-35-19')))
      assert.deepEqual([...(await store.usage(1)).bySnapshot.keys()].sort(), [...names].sort())
      for (const name of names) await store.deleteSnapshot(1, name)
      assert.deepEqual(readdirSync(snapshots), [])
      for (const name of ['', 'x'.repeat(256)]) await assert.rejects(store.createSnapshot(1, name), DriverError)
    })

    test('obeys the newest generation, also after a restart', async (t) => {
      const directory = await makeGround(t, kind)
      const first = await openAt(directory, { kind })
      await first.apply(box(1, { generation: 3, bytes: 100 * megabyte }))
      await first.apply(box(1, { generation: 2, bytes: 50 * megabyte }))
      assert.equal((await first.quota(1)).limit, 100 * megabyte)
      await first.close()

      const second = await openAt(directory, { kind })
      await second.apply(box(1, { generation: 2, bytes: 50 * megabyte }))
      await second.apply(box(1, { generation: 4, bytes: 150 * megabyte }))
      await second.remove(1, 3)
      assert.equal((await second.quota(1)).limit, 150 * megabyte)
      await second.createSnapshot(1, 'goes too')
      await second.remove(1, 5)
      await assert.rejects(second.paths(1), isNotFound)
      await second.close()

      const third = await openAt(directory, { kind })
      for (const generation of [4, 5]) await third.apply(box(1, { generation }))
      await assert.rejects(third.paths(1), isNotFound)
      await third.remove(1, 5)
      await third.apply(box(1, { generation: 6 }))
      assert.deepEqual([...(await third.paths(1)).bySnapshot.keys()], [])
      assert.deepEqual(await third.folders(1, ''), [])
    })

    test('leaves nothing of what it removes', async (t) => {
      const directory = await makeGround(t, kind)
      const store = await openAt(directory, { kind })
      await store.apply(box(1, { accounts: [{ home: 'a/b/c' }] }))
      const { files } = await store.paths(1)
      await fillOddly(files)
      await store.changed(1)
      await store.createSnapshot(1, 'one')
      await store.remove(1, 2)
      assert.deepEqual(readdirSync(join(directory, 'store/boxes')), [])
      assert.deepEqual(readdirSync(join(directory, 'store/making')), [])
    })
  })
}
