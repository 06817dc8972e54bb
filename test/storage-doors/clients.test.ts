/** Other clients of Debian that come through the doors. */
import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { missingMounts, mountDavfs, mountSshfs } from './kit/mounts.ts'
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

test('sshfs mounts a box, in which editors save files', { skip: missingMounts('sshfs') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  await mountSshfs(t, fixture)
  makeTree(join(local, 'tree'), { count: 5 })
  assert.equal((await fixture.run('cp', ['-r', 'tree', 'mnt/up'])).code, 0)
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

test('davfs2 mounts a box, in which files are written', { skip: missingMounts('mount.davfs') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  await mountDavfs(t, fixture)
  writeFileSync(join(local, 'new'), Buffer.alloc(100_000, 'davfs'))
  for (const args of [
    ['mkdir', 'mnt/d'],
    ['cp', 'new', 'mnt/d/f'],
    ['mv', 'mnt/d/f', 'mnt/d/g'],
    ['umount', 'mnt'],
  ]) {
    const { code, stderr } = await fixture.run(args[0]!, args.slice(1))
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(readFileSync(join(box.files, 'd/g')), readFileSync(join(local, 'new')))
})
