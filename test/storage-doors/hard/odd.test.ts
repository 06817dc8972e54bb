/** A box in which something stands in the way: pipes, homes that are gone, and what has the name of the snapshots' folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { AccountState } from '../../../src/families/storage-boxes/driver.ts'
import { accountFor, missing, openDoors, password } from '../kit/doors.ts'
import { arrived, childrenOf, commandOf } from '../kit/process.ts'

const skip = missing('ssh', 'sftp', 'ssh-keygen')

async function boxOf(t: TestContext, change: Partial<AccountState> = {}) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const main = await accountFor(fixture, change)
  fixture.set(box, main)
  const local = join(fixture.folder, 'clients')
  const ask = async (username: string, method: string, path: string, headers: object = {}, body?: string) => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const url = `http://127.0.0.1:${fixture.webdavPort}${path}`
    const sent = body === undefined ? {} : { body }
    return (await fetch(url, { method, headers: { authorization, ...headers }, ...sent })).status
  }
  /** Runs a program to its end, and has its connection die where that does not come. */
  const run = (program: string, ...args: string[]) => fixture.run(program, args, undefined, {}, 10_000)
  const rsync = (from: string, to: string, ...more: string[]) =>
    run('rsync', '-a', ...more, '-e', fixture.shell, from, to)
  const own = (path: string) => chownSync(path, box.place.uid, box.place.gid)
  return { fixture, box, main, local, ask, run, rsync, own }
}

const programs = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('sftp-server')).length

test('pipes and sockets go there and back by rsync, and others pass them by', {
  skip: skip || missing('rsync', 'scp', 'python3'),
}, async (t) => {
  const { fixture, box, local, ask, run, rsync } = await boxOf(t)
  const tree = join(local, 'tree')
  mkdirSync(tree)
  writeFileSync(join(tree, 'f'), 'a file')
  execFileSync('mkfifo', [join(tree, 'pipe')])
  execFileSync('python3', ['-c', "import socket; socket.socket(socket.AF_UNIX).bind('socket')"], { cwd: tree })
  const kinds = (folder: string) =>
    execFileSync('find', ['.', '-printf', '%y %P\\n'], { cwd: folder, encoding: 'utf8' }).split('\n').sort()
  assert.equal((await rsync('tree/', 'u1@127.0.0.1:tree/')).code, 0)
  assert.deepEqual(kinds(join(box.files, 'tree')), kinds(tree))
  assert.equal((await rsync('u1@127.0.0.1:tree/', 'back/')).code, 0)
  assert.deepEqual(kinds(join(local, 'back')), kinds(tree))
  for (const protocol of ['-s', '-O']) {
    const to = `by${protocol}`
    const options = [protocol, '-r', '-P', `${fixture.sshPort}`, ...fixture.options()]
    const { stderr } = await run('scp', ...options, 'u1@127.0.0.1:tree', to)
    assert.match(stderr, /pipe"?: not a regular file/)
    assert.equal(readFileSync(join(local, to, 'f'), 'utf8'), 'a file')
    assert.ok(!existsSync(join(local, to, 'pipe')))
  }
  assert.match(
    (await run('sftp', '-P', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1:tree/pipe')).stderr,
    /not a regular file/,
  )
  assert.equal(await ask('u1', 'GET', '/tree/pipe'), 403)
  assert.equal(await ask('u1', 'COPY', '/tree/pipe', { destination: '/copy' }), 403)
  assert.equal(await ask('u1', 'PUT', '/tree/pipe', {}, 'x'), 405)
  assert.equal((await fixture.ssh('u1', 'cp -r tree copy')).code, 1)
  assert.equal((await fixture.ssh('u1', 'rm -r tree')).code, 0)
  assert.deepEqual(fixture.reports, [])
})

test('who waits for a pipe and goes leaves no program behind', { skip }, async (t) => {
  const { fixture, box, own } = await boxOf(t)
  execFileSync('mkfifo', [join(box.files, 'pipe')])
  own(join(box.files, 'pipe'))
  writeFileSync(join(box.files, 'f'), 'a file')
  const clients = ['cat f pipe', 'md5sum f pipe'].map((command) =>
    fixture.start('ssh', ['-p', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1', command]),
  )
  // Who has got the file waits for the pipe from then on.
  await Promise.all(clients.map(({ stdout }) => once(stdout, 'data')))
  assert.equal(programs(), clients.length)
  for (const client of clients) client.kill('SIGKILL')
  await arrived(() => programs() === 0)
})

test('a home that is moved or removed is made anew for whoever comes next, by every door', {
  skip: skip || missing('rsync'),
}, async (t) => {
  const { fixture, box, main, local, ask, rsync } = await boxOf(t)
  fixture.set(box, main, await accountFor(fixture, { username: 'u1-sub1', home: 'team/web' }))
  const home = join(box.files, 'team/web')
  assert.equal(await ask('u1-sub1', 'PUT', '/first', {}, 'first'), 201)
  renameSync(home, join(box.files, 'team/former'))
  assert.equal(await ask('u1-sub1', 'GET', '/first'), 404)
  assert.equal(await ask('u1-sub1', 'PUT', '/second', {}, 'second'), 201)
  assert.equal(readFileSync(join(home, 'second'), 'utf8'), 'second')
  const remove = async () => assert.equal((await fixture.ssh('u1', 'rm -r team/web')).code, 0)
  await remove()
  assert.equal(await ask('u1-sub1', 'GET', '/second'), 404)
  await remove()
  writeFileSync(join(local, 'third'), 'third')
  const { code, stderr } = await rsync('third', 'u1-sub1@127.0.0.1:')
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(join(home, 'third'), 'utf8'), 'third')
  await remove()
  // Nothing is served in the place of a link that leads out.
  symlinkSync(box.outside, home)
  assert.equal(await ask('u1-sub1', 'GET', '/secret'), 500)
  assert.notEqual((await rsync('u1-sub1@127.0.0.1:secret', 'stolen')).code, 0)
})

test('snapshots are seen by who comes first, whatever program that is', {
  skip: skip || missing('rsync'),
}, async (t) => {
  const { box, local, rsync } = await boxOf(t, { seesSnapshots: true })
  mkdirSync(join(box.snapshots, 'first'))
  writeFileSync(join(box.snapshots, 'first/f'), 'then')
  const { code, stderr } = await rsync('u1@127.0.0.1:.zfs/snapshot/first/f', 'back')
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(join(local, 'back'), 'utf8'), 'then')
})

const obstacles: Record<string, (files: string, owner: number) => void> = {
  'a file': (files) => writeFileSync(join(files, '.zfs'), ''),
  'a link that leads out': (files) => symlinkSync('/etc', join(files, '.zfs')),
  'a link below it': (files, owner) => {
    mkdirSync(join(files, '.zfs'))
    chownSync(join(files, '.zfs'), owner, owner)
    symlinkSync('..', join(files, '.zfs/snapshot'))
  },
  'a directory that its owner may not change': (files) => chmodSync(files, 0o500),
  'a directory that its owner may not enter': (files) => chmodSync(files, 0),
}

for (const [words, make] of Object.entries(obstacles)) {
  test(`${words} in the place of the snapshots keeps nobody out of the box`, {
    skip: skip || missing('rsync'),
  }, async (t) => {
    const { fixture, box, ask, rsync } = await boxOf(t, { seesSnapshots: true })
    mkdirSync(join(box.snapshots, 'first'))
    make(box.files, box.place.uid)
    // Whoever is in can put it in order.
    const { code, stdout, stderr } = await fixture.sftp(
      'u1',
      '-ls .zfs/snapshot\nchmod 755 /\n-rm .zfs/snapshot\n-rm .zfs\n-rmdir .zfs\n',
    )
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stdout, /first/)
    const seen = await fixture.sftp('u1', 'ls .zfs/snapshot\n')
    assert.match(seen.stdout, /first/)
    assert.equal(await ask('u1', 'PROPFIND', '/', { depth: '1' }), 207)
    assert.equal((await rsync('u1@127.0.0.1:', 'back/', '--list-only')).code, 0)
  })
}

test('what the owner of a box may not read is refused in words by WebDAV', { skip }, async (t) => {
  const { box, ask, own } = await boxOf(t)
  for (const path of ['closed', 'folder/inside']) {
    mkdirSync(join(box.files, 'folder'), { recursive: true })
    writeFileSync(join(box.files, path), 'shut')
    own(join(box.files, path))
  }
  for (const path of ['closed', 'folder']) {
    own(join(box.files, path))
    chmodSync(join(box.files, path), 0)
  }
  assert.equal(await ask('u1', 'GET', '/closed'), 403)
  assert.equal(await ask('u1', 'GET', '/closed', { range: 'bytes=1-2' }), 403)
  assert.equal(await ask('u1', 'HEAD', '/closed'), 200)
  assert.equal(await ask('u1', 'GET', '/folder/'), 403)
  assert.equal(await ask('u1', 'PROPFIND', '/folder/', { depth: '1' }), 403)
  assert.equal(await ask('u1', 'PROPFIND', '/', { depth: '1' }), 207)
})

test('scp -O names no file otherwise than it is called, and lets no name say more than one line', {
  skip: skip || missing('scp'),
}, async (t) => {
  const { fixture, box, local, run } = await boxOf(t)
  const options = ['-O', '-r', '-P', `${fixture.sshPort}`, ...fixture.options()]
  const foreign = Buffer.concat([Buffer.from(join(local, 'tree/caf')), Buffer.from([0xe9])])
  mkdirSync(join(local, 'tree'))
  for (const path of [foreign, join(local, 'tree/a\rb'), join(local, 'tree/z')]) writeFileSync(path, 'content')
  const up = await run('scp', ...options, 'tree', 'u1@127.0.0.1:')
  assert.match(up.stderr, /not UTF-8/)
  assert.deepEqual(readdirSync(join(box.files, 'tree')), ['a\rb', 'z'])
  mkdirSync(join(box.files, 'lines'))
  const injected = 'first\nC0644 5 other'
  writeFileSync(join(box.files, 'lines', injected), '12345')
  const down = await run('scp', ...options, 'u1@127.0.0.1:lines', 'back')
  assert.equal(down.code, 0, down.stderr)
  assert.deepEqual(readdirSync(join(local, 'back')), [injected.replace('\n', '\\^J')])
})
