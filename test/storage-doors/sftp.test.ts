/** SFTP with the client of OpenSSH: files come back as they went, and nobody sees more than his home. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { accountFor, type DoorsFixture, missing, openDoors, password } from './kit/doors.ts'

const skip = missing('sftp', 'ssh-keygen')

test('files go up and come back, with all that sftp can do', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const local = join(fixture.folder, 'clients', 'a')
  writeFileSync(local, Buffer.alloc(3_000_000, 'wolke'))
  const { code, stdout, stderr } = await fixture.sftp(
    'u1',
    `pwd\nput ${local} b\nmkdir d\nrename b d/c\nln d/c hard\nln -s d/c soft\nget soft ${local}2\ndf -h\nls -la\nchmod 600 hard\nrm hard\nput -f ${local} x\n`,
  )
  assert.equal(code, 0, stderr + JSON.stringify(fixture.reports))
  assert.match(stdout, /Remote working directory: \/\n/)
  assert.deepEqual(readFileSync(`${local}2`), readFileSync(local))
  const { uid, mode } = statSync(join(box.files, 'd/c'))
  assert.deepEqual([uid, mode & 0o777], [box.place.uid, 0o600])
})

test('a subaccount has its home as root, which is made where it is missing', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture), await accountFor(fixture, { username: 'u1-sub1', home: 'backups/web 1' }))
  const { code, stdout } = await fixture.sftp('u1-sub1', 'mkdir /new\npwd\nls -1a /..\n')
  assert.equal(code, 0)
  assert.match(stdout, /directory: \/\n/)
  assert.ok(existsSync(join(box.files, 'backups/web 1/new')))
  assert.equal(statSync(join(box.files, 'backups')).uid, box.place.uid)
})

test('a home that its owner replaces by a link leads nowhere', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture, { username: 'u1-sub1', home: 'way/in' }))
  for (const target of [box.outside, '/', '../../..', '/proc', '/sys']) {
    const path = join(box.files, `way-${target.length}`)
    mkdirSync(path)
    symlinkSync(target, join(path, 'in'))
    fixture.set(box, await accountFor(fixture, { username: 'u1-sub1', home: `way-${target.length}/in` }))
    const { code, stdout } = await fixture.sftp('u1-sub1', 'ls -la\nget secret\n')
    assert.notEqual(code, 0)
    assert.doesNotMatch(stdout, /secret|etc|home/)
  }
})

test('a readonly account writes nothing', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  mkdirSync(join(box.files, 'd'))
  writeFileSync(join(box.files, 'f'), 'as it was')
  fixture.set(box, await accountFor(fixture, { isReadonly: true }))
  for (const command of ['put f g', 'mkdir e', 'rm f', 'rename f g', 'ln -s f g', 'ln f g', 'chmod 777 f', 'rmdir d']) {
    writeFileSync(join(fixture.folder, 'clients', 'f'), 'new')
    assert.notEqual((await fixture.sftp('u1', `${command}\n`)).code, 0, command)
  }
  assert.equal((await fixture.sftp('u1', 'get f h\n')).code, 0)
  assert.equal(readFileSync(join(box.files, 'f'), 'utf8'), 'as it was')
})

test('snapshots are seen by whoever may, and cannot be changed', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  mkdirSync(join(box.snapshots, 'first'))
  writeFileSync(join(box.snapshots, 'first', 'f'), 'then')
  assert.notEqual((await fixture.sftp('u1', 'ls .zfs/snapshot/first\n')).code, 0)
  fixture.set(box, await accountFor(fixture, { seesSnapshots: true }))
  const seen = await fixture.sftp('u1', 'ls .zfs/snapshot\nget .zfs/snapshot/first/f g\nput g h\n')
  assert.equal(seen.code, 0, seen.stderr)
  assert.equal(readFileSync(join(fixture.folder, 'clients', 'g'), 'utf8'), 'then')
  assert.notEqual((await fixture.sftp('u1', 'rm .zfs/snapshot/first/f\n')).code, 0)
})

test('a password is as good as a key, a wrong one is none', { skip: missing('sshpass', 'sftp') }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture, { keys: [] }))
  const login = (word: string) =>
    fixture.run('sshpass', ['-p', word, 'sftp', '-P', `${fixture.sshPort}`, ...fixture.options(false), 'u1@127.0.0.1'])
  assert.equal((await login(password)).code, 0)
  assert.notEqual((await login(`${password}!`)).code, 0)
})

test('OpenSSH gets the cipher that is fastest here, and others where it wants those', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const ssh = (...more: string[]) =>
    fixture.run('ssh', [
      ...['-v', '-p', `${fixture.sshPort}`, '-o', 'LogLevel=DEBUG1'],
      ...[...fixture.options(), ...more, 'u1@127.0.0.1', 'pwd'],
    ])
  const usual = await ssh()
  assert.equal(usual.code, 0, usual.stderr)
  assert.match(usual.stderr, /cipher: aes128-gcm@openssh\.com/)
  // It is known when it comes again.
  await ssh('-c', 'aes256-ctr')
  const other = await ssh('-c', 'aes256-ctr')
  assert.equal(other.code, 0, other.stderr)
  assert.match(other.stderr, /cipher: aes256-ctr/)
})

/** Puts something between clients and the door, which gets whatever is sent and says what is sent on, piece by piece. */
async function between(t: TestContext, fixture: DoorsFixture, pieces: (chunk: Buffer, isUp: boolean) => Buffer[]) {
  const sockets: Socket[] = []
  const { sshPort } = fixture
  const proxy = createServer((client) => {
    const door = connect(sshPort, '127.0.0.1')
    sockets.push(client, door)
    const pass = (from: Socket, to: Socket) => {
      to.setNoDelay()
      from.on('data', (chunk) => {
        for (const piece of pieces(chunk, from === client)) to.write(piece)
      })
      from.on('error', () => undefined).once('close', () => to.end())
    }
    pass(client, door)
    pass(door, client)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  fixture.sshPort = (proxy.address() as AddressInfo).port
}

const byCipher = (fixture: DoorsFixture, cipher: string, batch: string) =>
  fixture.run(
    'sftp',
    [
      ...['-P', `${fixture.sshPort}`, '-o', `Ciphers=${cipher}`, '-o', 'RekeyLimit=1M'],
      ...[...fixture.options(), '-b', '-', 'u1@127.0.0.1'],
    ],
    batch,
  )

for (const cipher of ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']) {
  test(`bytes arrive as they were in whatever pieces they come, with new keys on the way: ${cipher}`, {
    skip,
  }, async (t) => {
    const fixture = await openDoors(t)
    const box = fixture.addBox()
    fixture.set(box, await accountFor(fixture))
    let turn = 0
    await between(t, fixture, (chunk) => {
      const pieces: Buffer[] = []
      for (let at = 0; at < chunk.length; ) {
        const length = [1, 3, 4, 15, 20, 1_000, 33_000][turn++ % 7]!
        pieces.push(chunk.subarray(at, at + length))
        at += length
      }
      return pieces
    })
    const sent = randomBytes(5_000_000)
    const local = join(fixture.folder, 'clients', 'sent')
    writeFileSync(local, sent)
    const { code, stderr } = await byCipher(fixture, cipher, `put ${local} there\nget there ${local}2\n`)
    assert.equal(code, 0, stderr)
    assert.ok(readFileSync(join(box.files, 'there')).equals(sent) && readFileSync(`${local}2`).equals(sent))
  })
}

test('a byte that is changed on the way ends the connection before anything of it is written', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  let passed = 0
  await between(t, fixture, (chunk, isUp) => {
    const before = passed
    if (isUp) passed += chunk.length
    const changed = 1_000_000 - before
    if (isUp && changed >= 0 && changed < chunk.length) chunk[changed]! ^= 1
    return [chunk]
  })
  const sent = randomBytes(3_000_000)
  const local = join(fixture.folder, 'clients', 'sent')
  writeFileSync(local, sent)
  const { code } = await byCipher(fixture, 'aes128-gcm@openssh.com', `put ${local} there\n`)
  assert.notEqual(code, 0)
  const arrived = readFileSync(join(box.files, 'there'))
  assert.ok(passed > 1_000_000 && arrived.length < 1_000_000)
  assert.ok(arrived.equals(sent.subarray(0, arrived.length)))
})
