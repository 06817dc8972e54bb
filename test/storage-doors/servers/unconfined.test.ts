/** Doors of a server that cannot confine programs: closed, unless its operator says that checks of paths are enough. */
import assert from 'node:assert/strict'
import { lchownSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { boxBody } from '../../../src/families/storage-boxes/proof.ts'
import { program, type Served } from '../../program/kit/program.ts'
import { missingUnconfined, password } from '../kit/doors.ts'
import { act, ask, clients, makeBox, open, send, sftpByPassword, start, until } from '../kit/server.ts'

/** The user `nobody`; who is not root already cannot confine anything. */
const isRoot = process.getuid?.() === 0
const place = program('unconfined', isRoot ? { uid: 65_534, gid: 65_534 } : {})
const skip = missingUnconfined('sftp', 'ssh', 'sshpass', 'ssh-keygen')
const option = '--storage-doors-unconfined'

/** A server is ready before it has greeted. */
const greeted = ({ output }: Served) => until(async () => output().includes('curl:'))

test('they stay closed, which the greeting explains, and open for nobody who does not say so', { skip }, async () => {
  const readyFile = join(place.folder, 'closed')
  const served = await place.serve('memory', '--ready-file', readyFile)
  const { storage_ssh, storage_webdav } = JSON.parse(readFileSync(readyFile, 'utf8'))
  assert.deepEqual([storage_ssh, storage_webdav], [null, null])
  await greeted(served)
  assert.match(served.output(), /doors closed: the doors of Storage Boxes need .*--storage-doors-unconfined/)
  assert.doesNotMatch(served.output(), /WARNING/)
  await served.stop()
  const refused = await place.fail('memory', '--storage-ssh', '127.0.0.1:0')
  assert.match(refused, /--storage-ssh: the doors of Storage Boxes need /)
  const senseless = await place.fail('memory', option, '--storage-ssh', 'off', '--storage-webdav', 'off')
  assert.match(senseless, /--storage-doors-unconfined: both doors are switched off/)
})

const asRoot = program('confined')

test('who can confine programs does so', { skip: skip || (!isRoot && 'this user is not root') }, async () => {
  const refused = await asRoot.fail('memory', option, '--storage-ssh', '127.0.0.1:0')
  assert.match(refused, /--storage-doors-unconfined: programs can be confined on this machine/)
})

/** Where the files of the only box are. */
function filesOfBox(storage: string, name: string): string {
  const found = readdirSync(storage, { recursive: true, withFileTypes: true }).find((entry) => entry.name === name)
  assert.ok(found)
  return found.parentPath
}

test('files go up and come back, and no path or link leads out of the box', { skip }, async (t) => {
  const fixture = await clients(t)
  const storage = join(place.folder, 'files')
  const database = `sqlite:${join(place.folder, 'data.db')}`
  const options = ['--storage', storage, '--log-level', 'warn', option]
  const { served, sshPort, webdav } = await start(place, 'open', database, ...options)
  fixture.sshPort = sshPort
  await greeted(served)
  assert.match(served.output(), /WARNING: the doors of Storage Boxes are not confined/)
  assert.ok(served.log().some(({ msg }) => String(msg).includes('are not confined')))
  const { id, username } = await makeBox(
    served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const [local, back] = ['local', 'back'].map((name) => join(fixture.folder, 'clients', name)) as [string, string]
  const content = Buffer.alloc(3_000_000, 'some of it ')
  for (const line of ['rmdir /', 'rmdir team/..', 'rename / /x', 'mkdir /'])
    assert.notEqual((await fixture.sftp(username, `${line}\n`)).code, 0, line)
  writeFileSync(local, content)

  const went = await fixture.sftp(
    username,
    `mkdir team\nput ${local} team/first\nrename team/first /team/there\nget ../../team/./there ${back}\ncd team\npwd\nls -l\n`,
  )
  assert.equal(went.code, 0, went.stderr)
  assert.deepEqual(readFileSync(back), content)
  assert.match(went.stdout, /Remote working directory: \/team\n/)
  assert.match((await fixture.ssh(username, 'md5sum /team/there')).stdout, /^[0-9a-f]{32} {2}\/team\/there/)
  assert.match((await fixture.ssh(username, 'rsync --server --sender . /')).stderr, /rsync is not served/)

  const secret = join(place.folder, 'data.db')
  const box = join(filesOfBox(storage, 'team'))
  for (const name of ['absolute', 'dangling'])
    symlinkSync(name === 'absolute' ? place.folder : join(place.folder, 'made'), join(box, name))
  symlinkSync('team', join(box, 'inner'))
  // Linux gives another name only to the links of one's own.
  if (isRoot) lchownSync(join(box, 'absolute'), 65_534, 65_534)
  const outside = [`get ${secret} ${back}`, `get absolute/data.db ${back}`, `put ${local} dangling`, 'cd absolute']
  const moves = [
    `put ${local} absolute/made`,
    'rename team absolute/made',
    'symlink /etc/passwd link',
    'ls /etc',
    'ln absolute hard',
  ]
  for (const line of [...outside, ...moves]) assert.notEqual((await fixture.sftp(username, `${line}\n`)).code, 0, line)
  assert.ok(!readdirSync(place.folder).includes('made'))
  assert.deepEqual(readFileSync(back), content)
  assert.equal((await fixture.sftp(username, `get inner/there ${back}\nrm absolute\nrm dangling\n`)).code, 0)

  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  symlinkSync(place.folder, join(box, 'again'))
  const byWeb = (path: string, method = 'GET', body?: string) =>
    fetch(webdav + path, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) })
  assert.equal((await byWeb('/team/web', 'PUT', 'by web')).status, 201)
  assert.equal(await (await byWeb('/team/web')).text(), 'by web')
  assert.ok([403, 404].includes((await byWeb('/again/data.db')).status))
  assert.equal((await send(served, 'GET', `/wolke/v1/storage_boxes/${id}/files/content?path=team/web`)).status, 200)

  const given = { home_directory: 'new', password: `${password}-2`, access_settings: { ...open, readonly: true } }
  await act(served, 'POST', `/storage_boxes/${id}/subaccounts`, given)
  const seen = await sftpByPassword(fixture, `${username}-sub1`, 'pwd\nls /\n', given.password)
  assert.match(seen.stdout, /Remote working directory: \/\n/, seen.stderr)
  const written = await sftpByPassword(fixture, `${username}-sub1`, `put ${local} /x\n`, given.password)
  assert.match(written.stderr, /denied|Failure|Read-only/i)
  assert.deepEqual((await ask(served, 'GET', `/storage_boxes/${id}/folders`)).folders.sort(), ['new', 'team'])
  await served.stop()
})
