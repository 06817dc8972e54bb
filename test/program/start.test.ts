/** Starts that cannot succeed say so in one line, and leave nothing behind. */
import assert from 'node:assert/strict'
import { linkSync, mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { mount } from '../disks.ts'
import { call, program } from './program.ts'

const { folder, serve, fail } = program('start')

/** Everything below a folder. */
const found = (path: string) => readdirSync(path, { recursive: true }).map(String).sort()

/** A folder of its own for one test. */
function place(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

describe('A second server', () => {
  test('is kept off a file by whatever path it comes', async () => {
    const at = place('paths')
    const file = join(at, 'data/wolke.db')
    const server = await serve(`sqlite:${file}`)
    symlinkSync(file, join(at, 'link.db'))
    assert.match(await fail(`sqlite:${at}/data/../link.db`), /^wolke: another wolke serve is using [^\n]+\n$/)
    linkSync(file, join(at, 'second.db'))
    assert.match(
      await fail(`sqlite:${join(at, 'second.db')}`),
      /^wolke: cannot use .*second name \(a hard link\)[^\n]*\n$/,
    )
    unlinkSync(join(at, 'second.db'))
    assert.equal((await call(server.baseUrl, 'GET', '/ssh_keys')).status, 200)
    await server.stop()
    const next = await serve(`sqlite:${join(at, 'link.db')}`, '--key-file', `${file}.key`)
    assert.equal((await call(next.baseUrl, 'GET', '/ssh_keys')).status, 200)
    await next.stop()
  })
})

describe('A start that cannot succeed', { concurrency: 2 }, () => {
  test('says what is in its way, in one line, and leaves nothing behind', async () => {
    const at = place('ways')
    mkdirSync(join(at, 'folder.db'))
    writeFileSync(join(at, 'file'), 'a file')
    writeFileSync(join(at, 'noise.db'), 'noise'.repeat(2_000))
    const before = found(at)
    const cases: [path: string, says: RegExp][] = [
      ['folder.db', /EISDIR/],
      ['file/below/wolke.db', /ENOTDIR|EEXIST/],
      ['noise.db', /it is damaged \(file is not a database\); wolke restore/],
    ]
    for (const [path, says] of cases) {
      const line = await fail(`sqlite:${join(at, path)}`)
      assert.match(line, says)
      assert.match(line, /^wolke: cannot use the database [^\n]+\n$/)
    }
    assert.match(await fail('sqlite:/proc/wolke/wolke.db'), /^wolke: cannot use the database \/proc\S+ ENOENT[^\n]+\n$/)
    assert.deepEqual(found(at), before)
  })

  test('on a port that is taken leaves no database whose token nobody has seen', async (t) => {
    const at = place('port')
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const database = `sqlite:${join(at, 'data/wolke.db')}`
    for (const option of ['--listen', '--metadata-listen', '--dns-listen']) {
      const line = `wolke: ${option}: cannot listen on 127.0.0.1:${port}: the port is taken (EADDRINUSE)\n`
      assert.equal(await fail(database, option, `127.0.0.1:${port}`), line)
      assert.deepEqual(found(at), [])
    }
    const own = join(at, 'own.key')
    writeFileSync(own, 'x'.repeat(32), { mode: 0o600 })
    assert.match(await fail(database, '--key-file', own, '--listen', `127.0.0.1:${port}`), /cannot listen/)
    assert.deepEqual(found(at), ['own.key'])
    const server = await serve(database)
    await server.stop()
    const after = found(at)
    assert.match(await fail(database, '--listen', `127.0.0.1:${port}`), /cannot listen/)
    assert.deepEqual(found(at), after)
  })

  test('on a disk that is full or read-only says so', async (t) => {
    const full = place('full')
    if (!mount(t, full, 'size=64k')) return
    const line = await fail(`sqlite:${full}/data/wolke.db`)
    assert.match(line, /^wolke: [^\n]*(disk is full|ENOSPC)[^\n]*\n$/)
    assert.deepEqual(found(full), [])
    const readOnly = place('read-only')
    if (!mount(t, readOnly, 'size=1m,ro')) return
    assert.match(await fail(`sqlite:${readOnly}/wolke.db`), /^wolke: cannot use the database [^\n]*EROFS[^\n]*\n$/)
  })
})
