/** Boxes as directories of the clients, in their folder `mnt`. The doors are in this process, which must not wait for those. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type DoorsFixture, missing, password } from './doors.ts'
import { arrived } from './process.ts'

/** Says why a test that needs such a program cannot run here. */
export const missingMounts = (...programs: string[]): string | false =>
  existsSync('/dev/fuse') ? missing(...programs) : 'the kernel has no FUSE'

/** Mounts the box of `u1` by SFTP. */
export async function mountSshfs(t: TestContext, fixture: DoorsFixture): Promise<void> {
  const local = join(fixture.folder, 'clients')
  const target = join(local, 'mnt')
  mkdirSync(target)
  const settings = fixture.options().filter((option) => option.includes('='))
  const options = [...settings, `IdentityFile=${join(local, 'key')}`].flatMap((option) => ['-o', option])
  const mounting = fixture.start('sshfs', ['-f', 'u1@127.0.0.1:', target, '-p', `${fixture.sshPort}`, ...options])
  t.after(() => mounting.kill())
  await arrived(() => readFileSync('/proc/mounts', 'utf8').includes(target))
}

/** Mounts the box of `u1` by WebDAV; may be called again once it is unmounted. */
export async function mountDavfs(t: TestContext, fixture: DoorsFixture): Promise<void> {
  const local = join(fixture.folder, 'clients')
  const url = `http://127.0.0.1:${fixture.webdavPort}/`
  for (const name of ['mnt', 'cache']) mkdirSync(join(local, name), { recursive: true })
  // Another user than root keeps what it has read there.
  chmodSync(join(local, 'cache'), 0o777)
  writeFileSync(join(local, 'secrets'), `"${url}" "u1" "${password}"\n`, { mode: 0o600 })
  const settings = { secrets: join(local, 'secrets'), cache_dir: join(local, 'cache'), delay_upload: 0, use_locks: 1 }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(join(local, 'davfs2.conf'), lines.join(''), { mode: 0o600 })
  const { code, stderr } = await fixture.run('mount', ['-t', 'davfs', '-o', 'conf=davfs2.conf', url, 'mnt'])
  assert.equal(code, 0, stderr)
  t.after(() => fixture.run('umount', ['-l', 'mnt']))
}
