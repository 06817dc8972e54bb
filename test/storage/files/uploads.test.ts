/** Files that come in pieces through the API: whole or not at all, and of what did not come to its end nothing is seen. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtIn } from '../../../src/catalogue/built-in.ts'
import { openCatalogue } from '../../../src/catalogue/catalogue.ts'
import { PassingStorage } from '../../../src/drivers/storage/open.ts'
import { makeBox } from '../../../src/families/storage-boxes/proof.ts'
import { simulate } from '../../../src/families.ts'
import { createToken } from '../../../src/kernel/access/tokens.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import { firstProject, logged } from '../../kit/audit-log.ts'
import { forEachDatabase, type Open, testClock, today, type World, type WorldOptions } from '../../kit/harness.ts'

const megabyte = 1024 * 1024
const upload = 'upload-0123456789'

/** A world whose boxes have files, in a folder that goes with it. */
async function openFiles(open: Open, options: WorldOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-uploads-'))
  const log = { info: () => undefined, warn: () => undefined }
  const plan = { directory: folder, isPassing: true, ssh: 'off', webdav: 'off', addressPool: [], log } as const
  const storage = await PassingStorage.open(plan)
  const clock = testClock()
  const simulation = simulate({ delayMs: 0, clock, beside: { files: storage.cloud() } })
  const world = await open({ clock, simulation, ...options })
  const box = await makeBox(world)
  return {
    world,
    box,
    /** Where what has not come as a whole is, on disk. */
    unfinished() {
      const { directory } = storage.facts.store!
      return join(directory, 'boxes', `${box}`, 'files', '.wolke-uploads')
    },
    async [Symbol.asyncDispose]() {
      await storage.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const urlOf = ({ baseUrl }: World, path: string) => `${baseUrl.replace(/\/v1$/, '')}/wolke/v1${path}`
const authorized = ({ api }: World, token = api.token) => ({ authorization: `Bearer ${token}` })

async function answerOf(reply: Response) {
  const text = await reply.text()
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  return { status: reply.status, body: text === '' ? undefined : (JSON.parse(text) as any) }
}

const ask = async (world: World, method: string, path: string, token?: string) =>
  answerOf(await fetch(urlOf(world, path), { method, headers: authorized(world, token) }))

interface Piece {
  readonly path?: string
  readonly upload?: string
  readonly offset: number | string
  readonly size: number
}

const pieceUrl = (world: World, box: number, { path = 'large', ...given }: Piece) =>
  urlOf(world, `/storage_boxes/${box}/files/uploads?${new URLSearchParams({ path, upload, ...given } as never)}`)

/** Sends a piece that is taken. */
async function taken(world: World, box: number, piece: Piece, bytes: Buffer) {
  const { status, body } = await put(world, box, piece, bytes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/**
 * Sends a piece, again where its file server was ended: other installations on this machine end the programs of users whose
 * numbers those of this one have as well.
 */
async function put(world: World, box: number, piece: Piece, bytes: Buffer, token?: string) {
  const headers = { ...authorized(world, token), 'content-type': 'application/octet-stream' }
  for (let tries = 1; ; tries++) {
    const body = new Uint8Array(bytes)
    const answer = await answerOf(await fetch(pieceUrl(world, box, piece), { method: 'PUT', headers, body }))
    if (answer.status !== 503 || tries === 5) return answer
  }
}

/** Sends the beginning of a piece, and cuts the connection. */
function cut(world: World, box: number, piece: Piece, body: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const headers = { ...authorized(world), 'content-type': 'application/octet-stream', 'content-length': body.length }
    const sent = request(pieceUrl(world, box, piece), { method: 'PUT', headers })
    sent.on('error', () => undefined).on('close', resolve)
    sent.write(body.subarray(0, body.length / 2), () => sent.destroy())
  })
}

async function contentOf(world: World, box: number, path = 'large') {
  const url = urlOf(world, `/storage_boxes/${box}/files/content?path=${path}`)
  const reply = await fetch(url, { headers: authorized(world) })
  return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) }
}

async function names(world: World, box: number): Promise<string[]> {
  const { body } = await ask(world, 'GET', `/storage_boxes/${box}/files`)
  return body.files.map(({ name }: { name: string }) => name)
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Bytes of which no two pieces are the same. */
function someBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at)
  return bytes
}

forEachDatabase('A file that comes in pieces', (open) => {
  test('is there as a whole after the last one, also when a piece was cut off, and is not seen before', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    const [size, length] = [40 * megabyte, 8 * megabyte]
    const bytes = someBytes(size)
    for (let offset = 0; offset < size; offset += length) {
      assert.deepEqual(await names(world, box), [])
      const piece = bytes.subarray(offset, offset + length)
      if (offset === 2 * length) await cut(world, box, { offset, size }, piece)
      const { received, file } = await taken(world, box, { offset, size }, piece)
      assert.equal(received, offset + length)
      assert.equal(file === null, received < size)
    }
    assert.deepEqual(await names(world, box), ['large'])
    assert.equal(digest((await contentOf(world, box)).bytes), digest(bytes))
    assert.equal(existsSync(files.unfinished()), false)
  })

  test('takes the place of another one only when it is whole, as does one that comes at once', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    const whole = (text: string) => taken(world, box, { offset: 0, size: text.length }, Buffer.from(text))
    assert.equal((await whole('')).file.size, 0)
    assert.equal((await whole('the first')).file.size, 9)
    assert.equal((await taken(world, box, { offset: 0, size: 10 }, Buffer.from('other'))).file, null)
    assert.equal((await contentOf(world, box)).bytes.toString(), 'the first')
    // What comes twice is the same.
    for (const _ of [1, 2]) await taken(world, box, { offset: 5, size: 20 }, Buffer.from('wise!'))
    const { file } = await taken(world, box, { offset: 5, size: 10 }, Buffer.from('wise!'))
    assert.equal(file.size, 10)
    assert.equal((await contentOf(world, box)).bytes.toString(), 'otherwise!')
  })

  test('begins anew at its beginning, also when it is shorter, and has ended with its last piece', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    await taken(world, box, { offset: 0, size: 20 }, Buffer.from('the longer one'))
    await taken(world, box, { offset: 0, size: 10 }, Buffer.from('short'))
    const last = { offset: 5, size: 10 }
    assert.equal((await taken(world, box, last, Buffer.from('er...'))).file.size, 10)
    assert.equal((await contentOf(world, box)).bytes.toString(), 'shorter...')
    // All of a file is written once more.
    for (const _ of [1, 2]) await taken(world, box, { offset: 0, size: 5 }, Buffer.from('whole'))
    assert.equal((await contentOf(world, box)).bytes.toString(), 'whole')
    assert.equal(existsSync(files.unfinished()), false)
  })

  test('is answered as the first time when its last piece comes again, for as long as the file is there', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    const bytes = someBytes(3 * megabyte)
    const [size, offset] = [bytes.length, 2 * megabyte]
    await taken(world, box, { offset: 0, size }, bytes.subarray(0, offset))
    const last = bytes.subarray(offset)
    const first = await taken(world, box, { offset, size }, last)
    assert.deepEqual(await taken(world, box, { offset, size }, last), first)
    // Who got no answer may send less at a time.
    const half = offset + last.length / 2
    assert.deepEqual(await taken(world, box, { offset, size }, bytes.subarray(offset, half)), {
      received: half,
      file: null,
    })
    assert.deepEqual(await taken(world, box, { offset: half, size }, bytes.subarray(half)), first)
    assert.equal(existsSync(files.unfinished()), false)
    assert.equal(digest((await contentOf(world, box)).bytes), digest(bytes))
    const refused = async (piece: Piece, sent: Buffer) => {
      const { body } = await put(world, box, piece, sent)
      assert.match(body.error?.message ?? JSON.stringify(body), /does not follow/)
    }
    await refused({ offset, size }, Buffer.alloc(last.length))
    await refused({ offset, size: size + 1 }, last)
    await refused({ offset, size, path: 'other' }, last)
    await refused({ offset, size, upload: `${upload}-other` }, last)
    // Another file of the same size has come since, or none is there any more.
    const other = Buffer.from(bytes).fill(0, offset)
    await taken(world, box, { offset: 0, size, upload: `${upload}-other` }, other)
    await refused({ offset, size }, last)
    assert.equal((await ask(world, 'DELETE', `/storage_boxes/${box}/files?path=large`)).status, 204)
    await refused({ offset, size }, last)
  })

  test('is in the audit log once, when it is whole or given up, by the one who sent all of it', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    const id = await firstProject(world)
    const token = await world.db.transact((tx) =>
      createToken(tx, { projectId: id as ProjectId, name: 'another', readOnly: false, created: today }),
    )
    const size = 15
    const send = (offset: number, by?: string) => put(world, box, { offset, size }, Buffer.from('piece'), by)
    const give = (by?: string) => ask(world, 'DELETE', `/storage_boxes/${box}/files/uploads?upload=${upload}`, by)
    const entries = async () => {
      const all = await logged(world)
      return all
        .filter(({ operation }) => operation.endsWith('/uploads'))
        .map(({ actor, operation, outcome, resources }) => [actor.name, operation.split(' ')[0], outcome, resources])
        .toReversed()
    }
    for (const offset of [0, 5]) assert.equal((await send(offset)).status, 200)
    assert.deepEqual(await entries(), [])
    // Whoever draws the same name has another upload.
    assert.equal((await send(10, token)).body.error.code, 'conflict')
    assert.equal((await give(token)).status, 204)
    const ofAnother = [
      ['another', 'PUT', 'conflict', [box, 'large']],
      ['another', 'DELETE', 'ok', [box]],
    ]
    assert.deepEqual(await entries(), ofAnother)
    assert.equal((await send(10)).body.file.size, size)
    const whole = ['test', 'PUT', 'ok', [box, 'large']]
    assert.deepEqual(await entries(), [...ofAnother, whole])
    assert.equal((await send(0)).status, 200)
    assert.equal((await give()).status, 204)
    assert.deepEqual(await entries(), [...ofAnother, whole, ['test', 'DELETE', 'ok', [box]]])
  })

  test('is refused where a piece does not follow, is too long, or its place is taken', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    const refused = async (piece: Piece, code: string, text = 'piece') => {
      const { body } = await put(world, box, piece, Buffer.from(text))
      assert.equal(body.error?.code, code, JSON.stringify(body))
      return body.error
    }
    assert.match((await refused({ offset: 5, size: 20 }, 'conflict')).message, /does not follow/)
    await put(world, box, { offset: 0, size: 20 }, Buffer.from('piece'))
    await refused({ offset: 6, size: 20 }, 'conflict')
    assert.match((await refused({ offset: 5, size: 9 }, 'conflict')).message, /longer than what is left/)
    for (const [piece, field] of [
      [{ offset: 21, size: 20 }, 'offset'],
      [{ offset: '-1', size: 20 }, 'offset'],
      [{ offset: 0, size: 20, upload: 'short' }, 'upload'],
      [{ offset: 0, size: 20, upload: '../../escape-0123456' }, 'upload'],
      [{ offset: 0, size: 20, path: '' }, 'path'],
    ] as const) {
      assert.equal((await refused(piece, 'invalid_input')).details.fields[0].name, field)
    }
    await refused({ offset: 0, size: 5, path: 'no/folder', upload: `${upload}-other` }, 'not_found')
    await refused({ offset: 0, size: 5, path: '.wolke-uploads/hidden', upload: `${upload}-other` }, 'not_found')
    assert.deepEqual(await names(world, box), [])
    assert.equal((await ask(world, 'GET', `/storage_boxes/${box}/files?path=.wolke-uploads`)).status, 404)
    assert.deepEqual((await world.api.get(`/storage_boxes/${box}/folders`)).body.folders, [])
    const { body } = await put(world, box, { offset: 0, size: 5 }, Buffer.from('piece'), world.readOnly.token)
    assert.equal(body.error.code, 'token_readonly')
    assert.equal((await put(world, box, { offset: 0, size: 5 }, Buffer.from('piece'), world.foreign.token)).status, 404)
  })

  test('takes room while it comes, and none when it is given up', async () => {
    const small = builtIn.storage_box_types.map((type) => ({ ...type, size: 4 * megabyte }))
    await using files = await openFiles(open, { catalogue: openCatalogue({ ...builtIn, storage_box_types: small }) })
    const { world, box } = files
    const bytes = someBytes(3 * megabyte)
    const size = 2 * bytes.length
    assert.equal((await put(world, box, { offset: 0, size }, bytes)).status, 200)
    const full = await put(world, box, { offset: bytes.length, size }, bytes)
    assert.equal(full.body.error.code, 'resource_limit_exceeded')
    const give = () => ask(world, 'DELETE', `/storage_boxes/${box}/files/uploads?upload=${upload}`)
    assert.equal((await give()).status, 204)
    assert.equal((await give()).status, 204)
    assert.equal(existsSync(files.unfinished()), false)
    await world.app.jobs.run()
    const { body } = await put(world, box, { offset: 0, size: bytes.length }, bytes)
    assert.equal(body.file.size, bytes.length, JSON.stringify(body))
  })

  test('is forgotten when nobody goes on with it for a day', async () => {
    await using files = await openFiles(open)
    const { world, box } = files
    for (const name of ['old', 'new']) {
      await put(world, box, { offset: 0, size: 9, upload: `${upload}-${name}` }, Buffer.from('piece'))
    }
    const before = Date.now() / 1_000 - 86_500
    const old = readdirSync(files.unfinished()).find((name) => name.startsWith(`${upload}-old`))
    utimesSync(join(files.unfinished(), old!), before, before)
    await world.app.jobs.run()
    assert.deepEqual(
      readdirSync(files.unfinished()).map((name) => name.startsWith(`${upload}-new`)),
      [true],
    )
    const late = await put(world, box, { offset: 5, size: 9, upload: `${upload}-old` }, Buffer.from('more'))
    assert.equal(late.body.error.code, 'conflict')
  })
})
