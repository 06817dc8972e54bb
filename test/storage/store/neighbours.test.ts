/** Stores of several installations on one machine: each has users and quota groups of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { endAll, hasProcesses } from '../../../src/drivers/storage/processes.ts'
import type { Store } from '../../../src/drivers/storage/store/store.ts'
import { box, kinds, makeGround, megabyte, openAt } from './kit/grounds.ts'

const skip = process.getuid?.() === 0 ? false : 'only root has users for boxes'

function makeFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wolke-neighbours-')))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs a program as the user of box 1 until the test ends. */
async function workAt(t: TestContext, store: Store): Promise<ChildProcess> {
  const { uid, gid } = await store.ownerOf(1)
  const child = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child
}

async function writeAs(store: Store, megabytes: number): Promise<void> {
  const { files, owner } = await store.paths(1)
  const args = ['if=/dev/urandom', 'of=file', 'bs=1000000', `count=${megabytes}`, 'conv=fsync', 'status=none']
  execFileSync('dd', args, { ...owner, cwd: files, stdio: ['ignore', 'ignore', 'pipe'] })
}

describe('Two stores on one machine', { skip }, () => {
  for (const { kind, skip } of kinds) {
    test(`count box 1 apart, and end nobody in that of the other (${kind})`, { skip }, async (t) => {
      const directory = await makeGround(t, kind)
      const [one, other] = await Promise.all(
        ['one', 'other'].map((name) => openAt(directory, { kind, name })) as [Promise<Store>, Promise<Store>],
      )
      await Promise.all([
        one.apply(box(1, { bytes: 20 * megabyte })),
        other.apply(box(1, { bytes: 80 * megabyte })),
        // A third box of the same store has another user again.
        one.apply(box(2)),
      ])
      const users = [await one.ownerOf(1), await other.ownerOf(1), await one.ownerOf(2)].map(({ uid }) => uid)
      assert.equal(new Set(users).size, 3)

      await writeAs(other, 40)
      if (kind === 'btrfs') {
        assert.equal((await one.quota(1)).limit, 20 * megabyte)
        await writeAs(one, 10)
        await assert.rejects(writeAs(one, 40), /quota/i)
        await writeAs(other, 60)
      }
      for (const store of [one, other]) await store.changed(1)
      const taken = async (store: Store) => (await store.usage(1)).data
      assert.ok((await taken(one)) <= 20 * megabyte, 'the first one counts its own alone')
      assert.ok((await taken(other)) >= 40 * megabyte)

      const [mine, theirs] = [await workAt(t, one), await workAt(t, other)]
      const ended = once(mine, 'exit')
      await endAll(users[0]!)
      assert.deepEqual(await ended, [null, 'SIGKILL'])
      assert.equal(await hasProcesses(users[1]!), true)
      assert.equal(theirs.signalCode, null)

      await one.remove(1, 1)
      const { limit, used } = await other.quota(1)
      assert.ok(limit === 80 * megabyte && used >= 40 * megabyte, 'removing box 1 there leaves this one')
    })
  }

  test('have the same users and groups after a stop, and when one of them is moved', async (t) => {
    const folder = makeFolder(t)
    const open = (name: string) => openAt(folder, { kind: 'plain', name })
    const store = await open('here')
    await store.apply(box(1))
    const owner = await store.ownerOf(1)
    await store.close()
    renameSync(join(folder, 'here'), join(folder, 'there'))
    const moved = await open('there')
    await moved.apply(box(2))
    assert.deepEqual(await moved.ownerOf(1), owner)
    assert.deepEqual(await moved.ownerOf(2), { uid: owner.uid + 1, gid: owner.gid + 1 })
    await moved.close()
  })

  test('are never one a copy of the other', async (t) => {
    const folder = makeFolder(t)
    const open = (name: string) => openAt(folder, { kind: 'plain', name })
    const store = await open('first')
    await store.apply(box(1))
    await store.close()
    execFileSync('cp', ['-a', join(folder, 'first'), join(folder, 'copy')])
    await assert.rejects(open('copy'), {
      message:
        `Storage Boxes in ${folder}/copy are a copy of those in ${folder}/first: ` +
        'their users are the same, so one of both must go',
    })
    rmSync(join(folder, 'first'), { recursive: true })
    const copy = await open('copy')
    assert.ok(await copy.ownerOf(1))
    await copy.close()
  })

  test('that were made before users were claimed keep theirs', async (t) => {
    const folder = makeFolder(t)
    const before = await openAt(folder, { kind: 'plain' })
    await before.apply(box(1))
    await before.close()
    const record = join(folder, 'store/boxes/1/box.json')
    writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), owner: 1_900_000_000 }))
    rmSync(join(folder, 'store/users.json'))
    writeFileSync(join(folder, 'store/owners'), '1900000001')
    const store = await openAt(folder)
    await store.apply(box(2))
    assert.equal((await store.ownerOf(1)).uid, 1_900_000_000)
    assert.ok((await store.ownerOf(2)).uid >= 1_950_000_000)
    await store.close()
  })
})

describe('Ranges of users', { skip }, () => {
  const src = join(import.meta.dirname, '../../../src/drivers/storage/store')
  /** Takes the first user of a store, on a machine with so many ranges, and says which. */
  const taking = `
    const [folder, machine, ranges, users] = process.argv.slice(1)
    const { Users } = await import('${src}/users.ts')
    const { Places } = await import('${src}/places.ts')
    const log = { info() {}, warn: (fields, text) => console.error(text, fields) }
    const own = new Users(new Places(folder), log, { directory: machine, ranges: Number(ranges) })
    await own.claim()
    const take = async () => {
      const taken = []
      while (taken.length < Number(users)) taken.push((await own.next()).uid)
      return taken
    }
    console.log(JSON.stringify(await take().catch((error) => error.message)))`

  async function take(folder: string, name: string, ranges: number, users = 1): Promise<number[] | string> {
    const root = join(folder, name)
    mkdirSync(join(root, 'locks'), { recursive: true })
    const args = ['--input-type=module', '-e', taking, root, join(folder, 'machine'), `${ranges}`, `${users}`]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let told = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
    await once(child, 'close')
    return JSON.parse(told) as number[] | string
  }

  test('are taken by one store alone, also by all at once, until none is left but that of one that is gone', async (t) => {
    const folder = makeFolder(t)
    const names = ['a', 'b', 'c', 'd']
    const firsts = await Promise.all(names.map((name) => take(folder, name, 4)))
    const sorted = firsts.flat().map(Number).sort()
    assert.deepEqual(sorted, [1_950_000_000, 1_950_001_000, 1_950_002_000, 1_950_003_000])
    assert.equal(await take(folder, 'e', 4), 'There is no user left for the Storage Box.')
    rmSync(join(folder, 'b'), { recursive: true })
    assert.deepEqual(await take(folder, 'e', 4), firsts[1])
  })

  test('follow each other in a store that has more boxes than one has users', async (t) => {
    const folder = makeFolder(t)
    const users = (await take(folder, 'a', 2, 1_001)) as number[]
    assert.equal(new Set(users).size, 1_001)
    assert.equal(Math.abs(users[1_000]! - users[0]!), 1_000)
    assert.equal(await take(folder, 'b', 2), 'There is no user left for the Storage Box.')
  })
})
