/** What the console shows for the programs of an account, pasted into a shell, works with its box. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ClientCommands, sshCommands, webdavCommands } from '../../../console/families/storage-boxes/clients.ts'
import { accountFor, missing, openDoors, password } from '../../storage-doors/kit/doors.ts'

/** Programs that ask for a host key and a password get them by options instead. */
const wrapped = ['ssh', 'scp', 'sftp']
const noFuse = existsSync('/dev/fuse') ? undefined : 'the kernel has no FUSE'

async function boxOf(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const home = join(fixture.folder, 'clients')
  for (const folder of ['bin', '.ssh', 'documents', 'mounted']) mkdirSync(join(home, folder))
  writeFileSync(join(home, 'notes.txt'), 'a note')
  writeFileSync(join(home, 'documents/letter'), 'a letter')
  for (const ending of ['', '.pub'])
    writeFileSync(join(home, `.ssh/id_ed25519${ending}`), readFileSync(join(home, `key${ending}`)), { mode: 0o600 })
  const options = fixture.options().join(' ')
  for (const name of wrapped)
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\nexec /usr/bin/${name} ${options} "$@"\n`, { mode: 0o755 })
  const env = { PATH: `${home}/bin:${process.env.PATH}`, BORG_PASSPHRASE: 'x', RESTIC_PASSWORD: 'x' }
  const way = {
    user: 'u1',
    ssh: { host: '127.0.0.1', port: `${fixture.sshPort}` },
    webdav: `http://127.0.0.1:${fixture.webdavPort}`,
  }
  /** Runs a line without a terminal, so that whoever asks for the password reads it from the input. */
  const paste = async (line: string, input = `${password}\n`) => {
    const ran = await fixture.run('setsid', ['--wait', 'bash', '-c', line], input, env, 60_000)
    assert.equal(ran.code, 0, `${line}\n${ran.stdout}\n${ran.stderr}`)
    return ran.stdout
  }
  return { fixture, box, home, way, paste }
}

/** The lines for a program, which mount at a folder of the test; what goes on for it then says nothing here. */
function linesFor(all: readonly ClientCommands[], client: string, home: string): readonly string[] {
  const found = all.find((one) => one.client === client)
  assert.ok(found, client)
  return found.lines.map((line) => line.replace('/mnt/box', `${join(home, 'mounted')} > ${home}/mount.log 2>&1`))
}

test('lines for programs by SSH copy into a box', {
  skip: missing(...wrapped, 'rsync', 'borg', 'restic', 'rclone'),
}, async (t) => {
  const { fixture, box, home, way, paste } = await boxOf(t)
  const all = sshCommands(way)
  const isThere = (path: string) => assert.ok(existsSync(join(box.files, path)), path)
  for (const line of linesFor(all, 'ssh', home)) await paste(line)
  assert.equal(fixture.installed[0]?.[0], 'u1')
  for (const line of linesFor(all, 'scp', home)) await paste(line)
  assert.equal(readFileSync(join(box.files, 'notes.txt'), 'utf8'), 'a note')
  for (const line of linesFor(all, 'sftp', home)) assert.match(await paste(line, 'ls\n'), /notes\.txt/)
  for (const line of linesFor(all, 'rsync', home)) await paste(line)
  assert.equal(readFileSync(join(box.files, 'documents/letter'), 'utf8'), 'a letter')
  rmSync(join(box.files, 'documents'), { recursive: true })
  for (const line of linesFor(all, 'rclone', home)) await paste(line)
  isThere('documents/letter')
  for (const line of linesFor(all, 'borg', home)) await paste(line)
  isThere('backups/borg/config')
  for (const line of linesFor(all, 'restic', home)) await paste(line)
  isThere('backups/restic/config')
})

test('the line for sshfs mounts a box', { skip: noFuse ?? missing('sshfs', 'fusermount') }, async (t) => {
  const { box, home, way, paste } = await boxOf(t)
  writeFileSync(join(box.files, 'here'), 'is mounted')
  for (const line of linesFor(sshCommands(way), 'sshfs', home)) await paste(line)
  try {
    // Whoever waited for this process here would wait for the doors, which are in it.
    assert.equal(await readFile(join(home, 'mounted/here'), 'utf8'), 'is mounted')
  } finally {
    await paste(`fusermount -u ${join(home, 'mounted')}`)
  }
})

test('lines for programs by WebDAV copy into a box', { skip: missing('curl', 'rclone') }, async (t) => {
  const { box, home, way, paste } = await boxOf(t)
  const all = webdavCommands(way)
  for (const line of linesFor(all, 'curl', home)) await paste(line)
  assert.equal(readFileSync(join(box.files, 'notes.txt'), 'utf8'), 'a note')
  for (const line of linesFor(all, 'rclone', home)) await paste(line)
  assert.equal(readFileSync(join(box.files, 'documents/letter'), 'utf8'), 'a letter')
})

test('the line for davfs2 mounts a box', { skip: noFuse ?? missing('mount.davfs') }, async (t) => {
  const { box, home, way, paste } = await boxOf(t)
  writeFileSync(join(box.files, 'here'), 'is mounted')
  for (const line of linesFor(webdavCommands(way), 'davfs2', home)) await paste(line)
  try {
    // Whoever waited for this process here would wait for the doors, which are in it.
    assert.equal(await readFile(join(home, 'mounted/here'), 'utf8'), 'is mounted')
  } finally {
    await paste(`umount ${join(home, 'mounted')}`)
  }
})
