/** Other clients of Debian that come through the doors. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { contentsOf, makeTree } from './kit/trees.ts'

async function boxOf(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  return { fixture, box, local: join(fixture.folder, 'clients'), key: join(fixture.folder, 'clients', 'key') }
}

test('restic keeps snapshots by SFTP and reads them', { skip: missing('restic') }, async (t) => {
  const { fixture, local } = await boxOf(t)
  makeTree(join(local, 'tree'), { count: 10 })
  const command = `${fixture.shell} u1@127.0.0.1 -s sftp`
  const restic = (...args: string[]) =>
    fixture.run('restic', ['-r', 'sftp:u1@127.0.0.1:repo', '-o', `sftp.command=${command}`, ...args], '', {
      RESTIC_PASSWORD: 'x',
    })
  for (const args of [['init'], ['backup', 'tree'], ['check'], ['restore', 'latest', '--target', 'back']]) {
    const { code, stderr } = await restic(...args)
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(contentsOf(join(local, 'back/tree')), contentsOf(join(local, 'tree')))
})

test('restic keeps snapshots through rclone of the box', { skip: missing('restic') }, async (t) => {
  const { fixture, local } = await boxOf(t)
  makeTree(join(local, 'tree'), { count: 10 })
  const restic = (...args: string[]) =>
    fixture.run(
      'restic',
      ['-r', 'rclone:backups/web', '-o', `rclone.program=${fixture.shell} u1@127.0.0.1 rclone`, ...args],
      '',
      {
        RESTIC_PASSWORD: 'x',
      },
    )
  for (const args of [
    ['init'],
    ['backup', 'tree'],
    ['check', '--read-data'],
    ['restore', 'latest', '--target', 'back'],
  ]) {
    const { code, stderr } = await restic(...args)
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(contentsOf(join(local, 'back/tree')), contentsOf(join(local, 'tree')))
})

test('rclone checks by SFTP with sums that the box computes', { skip: missing('rclone') }, async (t) => {
  const { fixture, box, local, key } = await boxOf(t)
  makeTree(join(local, 'tree'), { mayHave: (name) => !name.includes('\n') && name.length < 200 })
  const remote = `:sftp,host=127.0.0.1,port=${fixture.sshPort},user=u1,key_file=${key}:up`
  const up = await fixture.run('rclone', ['copy', '--create-empty-src-dirs', 'tree', remote])
  assert.equal(up.code, 0, up.stderr)
  assert.deepEqual(contentsOf(join(box.files, 'up')), contentsOf(join(local, 'tree')))
  const check = await fixture.run('rclone', ['check', '-v', 'tree', remote])
  assert.equal(check.code, 0, check.stderr)
  assert.doesNotMatch(check.stderr, /could not be checked/)
  assert.match(check.stderr, /Using (md5|sha1) for hash comparisons/i)
})

test('lftp mirrors by SFTP', { skip: missing('lftp') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  makeTree(join(local, 'tree'), { mayHave: (name) => !/[\n\\]/.test(name) })
  const script = `set sftp:connect-program "ssh -a -x ${fixture.options().join(' ')}"; open -u u1,none -p ${fixture.sshPort} sftp://127.0.0.1; mirror -R tree up; mirror up back`
  const { code, stderr } = await fixture.run('lftp', ['-c', script])
  assert.equal(code, 0, stderr)
  assert.deepEqual(contentsOf(join(box.files, 'up')), contentsOf(join(local, 'tree')))
  assert.deepEqual(contentsOf(join(local, 'back')), contentsOf(join(local, 'tree')))
})

const noFuse = existsSync('/dev/fuse') ? missing('sshfs') : 'the kernel has no FUSE'
test('sshfs mounts a box, in which editors save files', { skip: noFuse }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  mkdirSync(join(local, 'mnt'))
  const options = fixture
    .options()
    .filter((option) => option.includes('='))
    .flatMap((option) => ['-o', option])
  const identity = ['-o', `IdentityFile=${join(local, 'key')}`]
  const target = join(local, 'mnt')
  const sshfs = fixture.start('sshfs', [
    '-f',
    'u1@127.0.0.1:',
    target,
    '-p',
    `${fixture.sshPort}`,
    ...options,
    ...identity,
  ])
  t.after(() => sshfs.kill())
  for (const end = Date.now() + 20_000; !readFileSync('/proc/mounts', 'utf8').includes(target); ) {
    assert.ok(Date.now() < end && sshfs.exitCode === null, 'it is not mounted')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  makeTree(join(local, 'tree'), { count: 5 })
  assert.equal((await fixture.run('cp', ['-r', 'tree', 'mnt/up'])).code, 0)
  // The doors are in this process, which must not wait for what they serve.
  writeFileSync(join(local, 'new'), 'new')
  assert.equal((await fixture.run('cp', ['new', 'mnt/new'])).code, 0)
  assert.equal((await fixture.run('mv', ['mnt/new', 'mnt/up/empty'])).code, 0)
  assert.equal(readFileSync(join(box.files, 'up/empty'), 'utf8'), 'new')
  assert.equal((await fixture.run('fusermount3', ['-u', 'mnt'])).code, 0)
})

test('cadaver puts and gets by WebDAV', { skip: missing('cadaver') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  writeFileSync(join(local, '.netrc'), `machine 127.0.0.1 login u1 password ${password}\n`, { mode: 0o600 })
  writeFileSync(join(local, 'f'), 'by cadaver')
  const commands = 'mkcol d\nput f d/f\nmove d/f d/g\nlock d/g\nunlock d/g\nget d/g back\nquit\n'
  const { stdout } = await fixture.run('cadaver', [`http://127.0.0.1:${fixture.webdavPort}/`], commands)
  assert.doesNotMatch(stdout, /failed/)
  assert.equal(readFileSync(join(box.files, 'd/g'), 'utf8'), 'by cadaver')
  assert.equal(readFileSync(join(local, 'back'), 'utf8'), 'by cadaver')
})

test('rclone keeps a folder the same by WebDAV', { skip: missing('rclone') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  makeTree(join(local, 'tree'), { count: 10, mayHave: (name) => !/[\n\\]/.test(name) && name.length < 200 })
  const { stdout } = await fixture.run('rclone', ['obscure', password])
  const url = `http://127.0.0.1:${fixture.webdavPort}`
  const remote = `:webdav,url='${url}',vendor=owncloud,user=u1,pass=${stdout.trim()}:same`
  const sync = async () => {
    const { code, stderr } = await fixture.run('rclone', ['sync', '--create-empty-src-dirs', 'tree', remote])
    assert.equal(code, 0, stderr)
    assert.deepEqual(contentsOf(join(box.files, 'same')), contentsOf(join(local, 'tree')))
  }
  await sync()
  rmSync(join(local, 'tree/deep'), { recursive: true })
  renameSync(join(local, 'tree/file-3'), join(local, 'tree/moved'))
  writeFileSync(join(local, 'tree/file-4'), 'another')
  await sync()
})

const noDavfs = existsSync('/dev/fuse') ? missing('mount.davfs') : 'the kernel has no FUSE'
test('davfs2 mounts a box, in which files are written', { skip: noDavfs }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  const target = join(local, 'mnt')
  mkdirSync(target)
  // Another user than root keeps what it has read there.
  mkdirSync(join(local, 'cache'))
  chmodSync(join(local, 'cache'), 0o777)
  const url = `http://127.0.0.1:${fixture.webdavPort}/`
  writeFileSync(join(local, 'secrets'), `"${url}" "u1" "${password}"\n`, { mode: 0o600 })
  const settings = { secrets: join(local, 'secrets'), cache_dir: join(local, 'cache'), delay_upload: 0, use_locks: 1 }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(join(local, 'davfs2.conf'), lines.join(''), { mode: 0o600 })
  const mounted = await fixture.run('mount', ['-t', 'davfs', '-o', `conf=${join(local, 'davfs2.conf')}`, url, target])
  assert.equal(mounted.code, 0, mounted.stderr)
  t.after(() => fixture.run('umount', ['-l', target]))
  writeFileSync(join(local, 'new'), Buffer.alloc(100_000, 'davfs'))
  // The doors are in this process, which must not wait for what they serve.
  for (const args of [
    ['mkdir', 'mnt/d'],
    ['cp', 'new', 'mnt/d/f'],
    ['mv', 'mnt/d/f', 'mnt/d/g'],
  ]) {
    const { code, stderr } = await fixture.run(args[0]!, args.slice(1))
    assert.equal(code, 0, stderr)
  }
  assert.equal((await fixture.run('umount', [target])).code, 0)
  assert.deepEqual(readFileSync(join(box.files, 'd/g')), readFileSync(join(local, 'new')))
})
