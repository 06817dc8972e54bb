/**
 * Storage Boxes of a whole server: what is asked of the API is so at the doors, and what comes by the doors is seen by the API,
 * also after the server was killed.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { boxBody } from '../../../src/families/storage-boxes/proof.ts'
import { program } from '../../program/kit/program.ts'
import { missing, password } from '../kit/doors.ts'
import { act, ask, clients, type Json, makeBox, open, send, sftpByPassword, start, until } from '../kit/server.ts'

const skip = missing('sftp', 'ssh', 'sshpass', 'ssh-keygen')
const place = program('storage')
const { folder } = place

test('a box is what its owner has put there, through snapshots and the death of the server', { skip }, async (t) => {
  const fixture = await clients(t)
  const database = `sqlite:${join(folder, 'life.db')}`
  let { served, sshPort } = await start(place, 'life', database)
  fixture.sshPort = sshPort
  const { id, username } = await makeBox(
    served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const local = join(fixture.folder, 'clients', 'local')
  const content = Buffer.alloc(3_000_000, 'what it was ')
  writeFileSync(local, content)

  assert.equal((await fixture.sftp(username, `mkdir docs\nput ${local} docs/first\n`)).code, 0)
  const typed = await sftpByPassword(fixture, username, 'ls docs\n')
  assert.match(typed.stdout, /first/, typed.stderr)
  assert.notEqual((await sftpByPassword(fixture, username, 'ls docs\n', `${password}x`)).code, 0)
  assert.deepEqual((await ask(served, 'GET', `/storage_boxes/${id}/folders`)).folders, ['docs'])

  const { snapshot } = await act(served, 'POST', `/storage_boxes/${id}/snapshots`, {})
  const { storage_box: measured } = await ask(served, 'GET', `/storage_boxes/${id}`)
  assert.ok(measured.stats.size_data >= content.length, JSON.stringify(measured.stats))

  await served.kill()
  ;({ served, sshPort } = await start(place, 'life', database))
  fixture.sshPort = sshPort
  await until(async () => (await fixture.sftp(username, 'rm docs/first\nmkdir later\n')).code === 0)
  assert.deepEqual((await ask(served, 'GET', `/storage_boxes/${id}/folders`)).folders, ['docs', 'later'])
  await act(served, 'POST', `/storage_boxes/${id}/actions/rollback_snapshot`, { snapshot: snapshot.id })
  const back = join(fixture.folder, 'clients', 'back')
  const got = await fixture.sftp(username, `get docs/first ${back}\n`)
  assert.equal(got.code, 0, got.stderr)
  assert.deepEqual(readFileSync(back), content)
  assert.deepEqual((await ask(served, 'GET', `/storage_boxes/${id}/folders`)).folders, ['docs'])

  await act(served, 'DELETE', `/storage_boxes/${id}`)
  assert.notEqual((await fixture.sftp(username, 'ls\n')).code, 0)
  assert.equal((await send(served, 'GET', `/wolke/v1/storage_boxes/${id}/files`)).status, 404)
  await served.stop()
})

test('accounts may do what the API says, from the end of its action', { skip }, async (t) => {
  const fixture = await clients(t)
  const { served, sshPort, webdav } = await start(place, 'memory', 'memory')
  fixture.sshPort = sshPort
  const { id, username } = await makeBox(
    served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const local = join(fixture.folder, 'clients', 'local')
  writeFileSync(local, 'hello')
  assert.equal((await fixture.sftp(username, `mkdir team\nput ${local} team/there\n`)).code, 0)

  const access = { ...open, readonly: true }
  const given = { home_directory: 'team', password: `${password}-2`, access_settings: access }
  const { subaccount } = await act(served, 'POST', `/storage_boxes/${id}/subaccounts`, given)
  const sub = `${username}-sub1`
  const seen = await sftpByPassword(fixture, sub, 'ls /\n', given.password)
  assert.match(seen.stdout, /there/, seen.stderr)
  const refused = await sftpByPassword(fixture, sub, `put ${local} new\n`, given.password)
  assert.match(refused.stderr, /denied|Failure|Read-only/i)
  assert.deepEqual((await fixture.sftp(username, 'ls -1 team\n')).stdout.match(/team\/\w+$/gm), ['team/there'])

  const asked = await fetch(`${webdav}/team/there`, {
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  })
  assert.equal(await asked.text(), 'hello')

  const ofSub = `/storage_boxes/${id}/subaccounts/${subaccount.id}`
  const working = fixture.start('sshpass', [
    ...['-p', given.password, 'ssh', '-p', `${sshPort}`, ...fixture.options(false), `${sub}@127.0.0.1`, 'cat'],
  ])
  const left = once(working, 'exit')
  const hears = async (word: string) => {
    working.stdin.write(word)
    const [heard] = await once(working.stdout, 'data')
    assert.equal(String(heard), word)
  }
  await hears('before')
  await act(served, 'POST', `${ofSub}/actions/reset_subaccount_password`, { password: `${password}-3` })
  await hears('after')
  assert.notEqual((await sftpByPassword(fixture, sub, 'ls /\n', given.password)).code, 0)
  assert.match((await sftpByPassword(fixture, sub, 'ls /\n', `${password}-3`)).stdout, /there/)
  await act(served, 'DELETE', ofSub)
  await left

  const stays = fixture.start('ssh', ['-p', `${sshPort}`, ...fixture.options(), `${username}@127.0.0.1`, 'cat'])
  const ended = once(stays, 'exit')
  stays.stdin.write('heard')
  await once(stays.stdout, 'data')
  await act(served, 'POST', `/storage_boxes/${id}/actions/update_access_settings`, { ssh_enabled: false })
  await ended
  assert.notEqual((await fixture.sftp(username, 'ls\n')).code, 0)
  await served.stop()
})

test('a key that somebody installs lets him in, and the audit log says so', { skip }, async (t) => {
  const fixture = await clients(t)
  const { served, sshPort } = await start(place, 'memory', 'memory')
  fixture.sshPort = sshPort
  const { id, username } = await makeBox(
    served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const another = join(fixture.folder, 'clients', 'another')
  await fixture.run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', another])
  const withAnother = () => {
    const args = ['-P', `${sshPort}`, ...fixture.options(false), '-i', another, '-o', 'BatchMode=yes', '-b', '-']
    return fixture.run('sftp', [...args, `${username}@127.0.0.1`], 'ls\n')
  }
  assert.notEqual((await withAnother()).code, 0)
  const said = await fixture.ssh(username, 'install-ssh-key', readFileSync(`${another}.pub`))
  assert.equal(said.code, 0, said.stderr)
  assert.equal((await withAnother()).code, 0)
  assert.notEqual((await fixture.ssh(username, 'install-ssh-key', 'no key\n')).code, 0)
  const { projects } = await ask(served, 'GET', '/wolke/v1/projects')
  const { lab_token: management } = JSON.parse(readFileSync(join(folder, 'at-memory'), 'utf8'))
  const log = `${served.baseUrl.replace(/\/v1$/, '')}/wolke/v1/projects/${projects[0].id}/audit`
  const read = await fetch(log, { headers: { authorization: `Bearer ${management}` } })
  const { audit } = (await read.json()) as Json
  const entry = audit.find(({ operation }: Json) => operation === 'install-ssh-key')
  assert.deepEqual([entry.actor.kind, entry.actor.name, entry.resources], ['account', username, [id]])
  await served.stop()
})

test('files are read and written without any client', { skip }, async (t) => {
  const fixture = await clients(t)
  const { served, sshPort } = await start(place, 'memory', 'memory')
  fixture.sshPort = sshPort
  const { id, username } = await makeBox(
    served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const files = `/wolke/v1/storage_boxes/${id}/files`
  const content = Buffer.from(Array.from({ length: 500_000 }, (_, index) => index % 251))
  await ask(served, 'POST', `${files}/folders`, { path: 'a folder' })
  const put = await ask(served, 'PUT', `${files}/content?path=${encodeURIComponent('a folder/ü.bin')}`, content)
  assert.deepEqual([put.file.path, put.file.kind, put.file.size], ['a folder/ü.bin', 'file', content.length])
  const back = join(fixture.folder, 'clients', 'back')
  assert.equal((await fixture.sftp(username, `get "a folder/ü.bin" ${back}\n`)).code, 0)
  assert.deepEqual(readFileSync(back), content)

  const at = `${files}/content?path=${encodeURIComponent('a folder/ü.bin')}`
  const whole = await send(served, 'GET', at)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), content)
  const part = await send(served, 'GET', at, undefined, { range: 'bytes=1000-1999' })
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 1000-1999/${content.length}`])
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), content.subarray(1_000, 2_000))
  assert.equal((await send(served, 'GET', at, undefined, { range: `bytes=${content.length}-` })).status, 416)

  const { snapshot } = await act(served, 'POST', `/storage_boxes/${id}/snapshots`, {})
  await ask(served, 'POST', `${files}/rename`, { from: 'a folder/ü.bin', to: 'moved' })
  const names = async (query: string) => {
    const { files: found } = await ask(served, 'GET', `${files}?${query}`)
    return found.map(({ name, kind }: Json) => `${kind} ${name}`)
  }
  assert.deepEqual(await names('path='), ['directory a folder', 'file moved'])
  assert.deepEqual(await names(`path=a%20folder&snapshot=${snapshot.id}`), ['file ü.bin'])
  assert.equal((await send(served, 'POST', `${files}/rename`, { from: 'moved', to: 'a folder' })).status, 409)
  assert.equal((await send(served, 'DELETE', `${files}?path=..%2F..`)).status, 422)
  await ask(served, 'DELETE', `${files}?path=a%20folder`)
  assert.deepEqual(await names('path='), ['file moved'])
  assert.equal((await send(served, 'GET', `${files}?path=a%20folder`)).status, 404)
  await served.stop()
})
