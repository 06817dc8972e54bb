/** What hostile or busy clients of SFTP send where the doors count: no byte takes room uncharged, and none is lost. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Duplex, duplexPair } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { Ledger } from '../../../src/drivers/storage/doors/ledger.ts'
import { SftpClient } from '../../../src/drivers/storage/doors/sftp/client.ts'
import { openFlags, packet, types } from '../../../src/drivers/storage/doors/sftp/packets.ts'
import { startFileServer } from '../../../src/drivers/storage/doors/sftp/server.ts'
import { connectWatched } from '../../../src/drivers/storage/doors/sftp/watched.ts'
import { missing, openDoors } from '../kit/doors.ts'

const skip = missing('ssh-keygen')
const { read, write, create, truncate } = openFlags
const kilobyte = 1_024

/** Notes what is charged; nothing is measured. */
class Noted implements Ledger {
  left: number
  charged = 0
  arrived = 0
  #changes = 0

  constructor(left: number) {
    this.left = left
  }

  async begin(): Promise<void> {}

  room(): number {
    return this.left - this.charged
  }

  charge(bytes: number): void {
    this.charged += bytes
  }

  written(bytes: number): void {
    this.arrived += bytes
  }

  changed(): void {
    this.#changes++
  }

  measured(): number {
    return this.#changes
  }
}

/** Sessions with one box, which has so much room. */
async function boxOf(t: TestContext, room = 1 << 30) {
  const fixture = await openDoors(t)
  const ledger = new Noted(room)
  const { place, files } = fixture.addBox(ledger)
  const jail = { ...place, home: '', isReadonly: false, snapshots: undefined }
  /** A session, and its end that bytes can be written to. */
  const session = async () => {
    const prisoner = await startFileServer(jail)
    const [near, far] = duplexPair()
    connectWatched(far, prisoner, { ledger, directory: place.directory, isReadonly: false })
    prisoner.stdout.once('close', () => near.destroy())
    t.after(() => void prisoner.child.kill('SIGKILL'))
    return { client: new SftpClient(near, near), raw: near }
  }
  return { ledger, files, session }
}

const open = async (client: SftpClient, path: string, flags: number) =>
  Buffer.from((await client.ask(types.open, path, flags, {})).body.bytes())

const writeTo = (client: SftpClient, handle: Buffer, at: number, bytes: Buffer) =>
  client.tell(types.write, handle, BigInt(at), bytes)

const fails = (done: Promise<unknown>) => assert.rejects(done, /Failure|quota/i)

test('a size that the server refuses makes no room', { skip }, async (t) => {
  const { ledger, files, session } = await boxOf(t, 100 * kilobyte)
  const { client } = await session()
  const handle = await open(client, 'f', write | create | truncate)
  await assert.rejects(client.tell(types.fsetstat, handle, { size: 2 ** 63 }))
  await writeTo(client, handle, 0, randomBytes(60 * kilobyte))
  assert.equal(ledger.charged, 60 * kilobyte)
  await fails(writeTo(client, handle, 60 * kilobyte, randomBytes(60 * kilobyte)))
  assert.equal(statSync(join(files, 'f')).size, 60 * kilobyte)
})

test('what another session has cut off is charged when it is written again', { skip }, async (t) => {
  const { ledger, session } = await boxOf(t)
  const [{ client }, { client: other }] = [await session(), await session()]
  const bytes = randomBytes(60 * kilobyte)
  const handle = await open(client, 'f', write | create)
  await writeTo(client, handle, 0, bytes)
  await writeTo(client, handle, 0, bytes)
  assert.equal(ledger.charged, bytes.length)
  await other.tell(types.setstat, 'f', { size: 0 })
  await writeTo(client, handle, 0, bytes)
  assert.equal(ledger.charged, 2 * bytes.length)
  await client.tell(types.fsetstat, handle, { size: 0 })
  await writeTo(client, handle, 0, bytes)
  assert.equal(ledger.charged, 3 * bytes.length)
})

test('nobody writes by a handle that he guesses, nor under an id that waits for its answer', { skip }, async (t) => {
  const { ledger, files, session } = await boxOf(t)
  const { client, raw } = await session()
  const guessed = Buffer.alloc(4)
  const opened = open(client, 'f', write | create)
  const sent = [writeTo(client, guessed, 0, randomBytes(100)), client.tell(types.fsetstat, guessed, { size: 5_000 })]
  await Promise.all(sent.map(fails))
  assert.deepEqual(await opened, guessed)
  assert.deepEqual([statSync(join(files, 'f')).size, ledger.charged], [0, 0])
  // The first handle appends, whatever is said of the second one.
  for (const flags of [openFlags.append, truncate]) {
    raw.write(packet(types.open, 0x7000_0000, 'g', write | create | flags, {}))
  }
  await client.ask(types.stat, '.')
  const appending = Buffer.from([0, 0, 0, 1])
  for (let n = 0; n < 2; n++) await writeTo(client, appending, 0, randomBytes(100))
  assert.deepEqual([statSync(join(files, 'g')).size, ledger.charged], [200, 200])
})

/** Writes bytes to a stream in pieces, each in a turn of its own. */
async function inPieces(raw: Duplex, bytes: Buffer, each: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += each) {
    raw.write(bytes.subarray(at, at + each))
    await new Promise(setImmediate)
  }
}

test('files that are opened while pieces of others arrive have the bytes of their own', { skip }, async (t) => {
  const { files, session } = await boxOf(t)
  const { client, raw } = await session()
  const content = randomBytes(200 * kilobyte)
  const length = 20 * kilobyte
  const first = await open(client, 'a', write | create)
  for (let at = 0, n = 0; at < content.length; at += length, n++) {
    const piece = content.subarray(at, at + length)
    // The answer to the opening comes while the write is on its way.
    const opened = open(client, `b${n}`, read | write | create)
    await inPieces(raw, packet(types.write, 0x7000_0000 + n, first, BigInt(at), piece), 700)
    const handle = await opened
    await writeTo(client, handle, 0, piece)
    await client.tell(types.close, handle)
  }
  await client.tell(types.close, first)
  assert.ok(readFileSync(join(files, 'a')).equals(content))
  for (let n = 0; n < content.length / length; n++) {
    assert.ok(readFileSync(join(files, `b${n}`)).equals(content.subarray(n * length, (n + 1) * length)), `b${n}`)
  }
})
