import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import type { DriverError } from '../../../kernel/actions/define.ts'
import { Incus } from '../../../protocols/incus/client.ts'
import type { RfbServer } from '../../../protocols/rfb/server.ts'
import { incusConsoles } from './screens.ts'

/** A daemon that has one instance, `srv-7`, whose console prints what a test says. */
const folder = mkdtempSync(join(tmpdir(), 'wolke-console-'))
const socket = join(folder, 'incus.sock')
let instance: { name: string; status: string; last_used_at: string; config: object } | undefined
let log: string
let asked: { name: string; body: object }[]
let open: { data: WebSocket; control: WebSocket }[]
let typed: string
/** What the daemon waits for before it gives a console. */
let busy: Promise<void>

const daemon = createServer(async (request, response) => {
  const { method, url = '' } = request
  const path = url.split('?')[0]
  const reply = (status: number, content: object) => response.writeHead(status).end(JSON.stringify(content))
  if (!instance) return void reply(404, { type: 'error', error: 'not found', error_code: 404 })
  if (path === '/1.0/instances/srv-7') return void reply(200, { type: 'sync', metadata: instance })
  if (method === 'GET' && path === '/1.0/instances/srv-7/console') return void response.end(log)
  const body = JSON.parse((await request.toArray()).join(''))
  asked.push({ name: path!, body })
  await busy
  const id = `operation-${asked.length}`
  reply(202, {
    type: 'async',
    metadata: { id, class: 'websocket', metadata: { fds: { 0: 'data', control: 'control' } } },
  })
})
const webSockets = new WebSocketServer({ server: daemon })
webSockets.on('connection', (webSocket: WebSocket, { url }: IncomingMessage) => {
  if (url!.endsWith('control')) return void open.push({ control: webSocket, data: undefined as never })
  open.at(-1)!.data = webSocket
  webSocket.on('message', (bytes: Buffer) => {
    typed += bytes.toString()
  })
})

const incus = new Incus([{ socket }])
const { driver, close } = incusConsoles(incus)

before(() => once(daemon.listen(socket), 'listening'))
beforeEach(() => {
  instance = { name: 'srv-7', status: 'Running', last_used_at: 'now', config: { 'user.wolke.name': 'web' } }
  log = ''
  asked = []
  open = []
  typed = ''
  busy = Promise.resolve()
})
after(async () => {
  close()
  incus.close()
  for (const webSocket of webSockets.clients) webSocket.terminate()
  await new Promise((resolve) => daemon.close(resolve))
  rmSync(folder, { recursive: true })
})

/** A viewer that has said that it is there. */
async function look(): Promise<RfbServer> {
  const viewer = (await driver.open(7, 1)) as RfbServer
  viewer.write(Buffer.of(1))
  return viewer
}

const typing = (viewer: RfbServer, ...keysyms: number[]) => {
  for (const keysym of keysyms) {
    const message = Buffer.of(4, 1, 0, 0, 0, 0, 0, 0)
    message.writeUInt32BE(keysym, 4)
    viewer.write(message)
  }
}

/** Waits for the next update of a screen, which nobody has been sent the whole of. */
async function update(viewer: RfbServer): Promise<void> {
  const request = Buffer.of(3, 1, 0, 0, 0, 0, 0, 0, 0, 0)
  request.writeUInt16BE(640, 6)
  request.writeUInt16BE(400, 8)
  viewer.write(request)
  await once(viewer, 'readable')
  viewer.read()
}

const ended = async (viewer: RfbServer) => {
  viewer.resume()
  await once(viewer, 'end')
}

/** Leaves a console, as the last one. */
const leave = async (viewer: RfbServer) => {
  const over = once(open.at(-1)!.data, 'close')
  viewer.destroy()
  await over
}

test('all who look at a server share one console, which ends with the last of them', async () => {
  const viewers = await Promise.all([look(), look()])
  assert.deepEqual(asked, [
    { name: '/1.0/instances/srv-7/console', body: { type: 'console', width: 80, height: 25, force: true } },
  ])
  viewers[0]!.destroy()
  typing(viewers[1]!, 0x6c, 0x73, 0xff0d)
  await once(open[0]!.data, 'message')
  while (typed !== 'ls\r') await once(open[0]!.data, 'message')
  await leave(viewers[1]!)
  const again = await look()
  assert.equal(asked.length, 2)
  await leave(again)
})

test('a console begins with what it has shown before, whose questions are not answered again', async () => {
  log = 'web login: \x1b[6n'
  const viewer = await look()
  await once(viewer, 'readable')
  assert.match(viewer.read().toString('latin1'), /web$/)
  await update(viewer)
  open[0]!.data.send(Buffer.from('\x1b[5n'))
  await once(open[0]!.data, 'message')
  assert.equal(typed, '\x1b[0n')
  await leave(viewer)
})

test('a console ends for all when the instance ends it, and is opened again', async () => {
  const viewers = await Promise.all([look(), look()])
  const over = Promise.all(viewers.map(ended))
  open[0]!.data.close()
  await over
  const again = await look()
  assert.equal(asked.length, 2)
  await leave(again)
})

test('a console ends when the server has stopped or was started again, which Incus does not tell', async () => {
  for (const change of [{ status: 'Stopped' }, { last_used_at: 'later' }]) {
    const running = instance!
    const over = ended(await look())
    instance = { ...running, ...change }
    await over
    instance = running
  }
  await leave(await look())
})

test('a server that does not run has no console', async () => {
  const refuses = () =>
    assert.rejects(driver.open(7, 1), (error: DriverError) => !error.transient && /no power/.test(error.message))
  instance = { ...instance!, status: 'Stopped' }
  await refuses()
  instance = undefined
  await refuses()
  assert.deepEqual(asked, [])
})

test('a host that hangs keeps nobody waiting, and a console that comes too late ends', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  busy = promise
  const impatient = incusConsoles(incus, 20)
  await assert.rejects(impatient.driver.open(7, 1), { transient: true, message: /did not answer in time/ })
  const connected = once(webSockets, 'connection')
  resolve()
  await connected
  while (!open[0]?.data) await once(webSockets, 'connection')
  await once(open[0].data, 'close')
})

test('all consoles end with the driver', async () => {
  const over = ended(await look())
  close()
  await over
})
