/** Primary name servers that send what harms, on both databases: too much, without end, or nothing at all. */
import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import { defaultZoneSettings, type ZoneSettings } from '../src/kernel/dns/settings.ts'
import { openLog } from '../src/kernel/log.ts'
import { ask, framed, nameServers } from './dns-client.ts'
import { type Client, forEachDatabase, type World } from './harness.ts'
import { expect } from './resources.ts'

const small = { records: 50, textBytes: 20_000 }
const tiny = { records: 5, textBytes: 2_000 }
/** Large enough for a crowd at one name. */
const roomy = { records: 5_000, textBytes: 200_000 }
const loopback = { zones: { privatePrimaries: ['127.0.0.0/8'] } }

/** What a primary sends when it is asked for a zone; it may take its time. */
type Transfer = (head: Buffer, zone: string) => AsyncIterable<Buffer> | Iterable<Buffer>

interface Primary {
  readonly port: number
  /** Zones that are being asked for as a whole right now, and the most that there ever were. */
  readonly transfers: Set<string>
  most: number
  /** Bytes that were sent. */
  sent: number
}

const open: Server[] = []
const sockets = new Set<Socket>()
const closeAll = () => {
  for (const socket of sockets) socket.destroy()
  for (const server of open.splice(0)) server.close()
}
afterEach(closeAll)
after(closeAll)

/** Starts a primary that answers a question for a SOA record as it should, and one for a zone with `transfer`. */
async function startPrimary(transfer: Transfer): Promise<Primary> {
  const primary = { port: 0, transfers: new Set<string>(), most: 0, sent: 0 }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    socket.once('data', (query) => void converse(primary, socket, query.subarray(2), transfer))
  })
  open.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  primary.port = (server.address() as { port: number }).port
  return primary
}

async function converse(primary: Primary, socket: Socket, query: Buffer, transfer: Transfer): Promise<void> {
  const { id, questions } = decode(query)
  const { name, type } = questions![0]!
  const head = encode({ type: 'response', id, flags: 0x400, questions: questions! })
  if (type === 'SOA') return void socket.write(framed(withRecords(head, [soa(name)])))
  primary.transfers.add(name)
  primary.most = Math.max(primary.most, primary.transfers.size)
  socket.once('close', () => primary.transfers.delete(name))
  for await (const message of transfer(head, name)) {
    if (socket.destroyed) return
    primary.sent += message.length + 2
    // It shares its process with the name server, which has to have its turns.
    await nextTurn()
    if (!socket.write(framed(message))) {
      await new Promise<void>((resolve) => {
        socket.once('drain', resolve)
        socket.once('close', resolve)
      })
    }
  }
}

// ---- Records as bytes ----------------------------------------------------------------------------------------------

const wire = (text: string) =>
  Buffer.concat([...text.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])), zero])
const zero = Buffer.of(0)
/** The name in the question. */
const toQuestion = Buffer.of(0xc0, 12)
const label = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)])

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(300, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function soa(zone: string): Buffer {
  const times = Buffer.alloc(20)
  for (const [index, value] of [1, 3_600, 600, 86_400, 60].entries()) times.writeUInt32BE(value, 4 * index)
  return record(toQuestion, 6, Buffer.concat([wire(`ns.${zone}`), wire(`me.${zone}`), times]))
}

function withRecords(head: Buffer, records: readonly Buffer[]): Buffer {
  const message = Buffer.concat([head, ...records])
  message.writeUInt16BE(records.length, 6)
  return message
}

const address = (index: number, owner = Buffer.concat([label(`n${index}`), toQuestion])) =>
  record(owner, 1, Buffer.of(192, 0, 2, index % 250))

/** A record of 20 bytes that becomes 2,000 characters: it points twice to a name whose every byte has to be escaped. */
function inflating(head: Buffer, count: number): Buffer {
  const long = Buffer.concat([...[63, 63, 63, 49].map((n) => Buffer.concat([Buffer.of(n), Buffer.alloc(n)])), zero])
  const first = record(Buffer.concat([label('long'), toQuestion]), 17, Buffer.concat([long, zero]))
  const place = 0xc000 + head.length + 'long'.length + 3 + 10
  const pointer = Buffer.of(place >> 8, place & 0xff)
  const others = Array.from({ length: count }, (_, index) =>
    record(Buffer.concat([label(`r${index}`), toQuestion]), 17, Buffer.concat([pointer, pointer])),
  )
  return withRecords(head, [first, ...others])
}

// ---- The tests -----------------------------------------------------------------------------------------------------

forEachDatabase('Hostile primaries', (openWorld) => {
  const serve = nameServers()

  /** A name server that writes down why there was no transfer. */
  async function listen(world: World, given: Partial<ZoneSettings> = {}) {
    const reasons: string[] = []
    const log = openLog('info', { write: (line: string) => reasons.push(JSON.parse(line).reason) })
    const settings = { ...defaultZoneSettings('wolke.example'), limits: small, ...given }
    return { place: await serve(world, { log, settings }), reasons }
  }

  async function makeSecondary(api: Client, name: string, { port }: Primary) {
    const primary_nameservers = [{ address: '127.0.0.1', port }]
    return expect(await api.post('/zones', { name, mode: 'secondary', primary_nameservers }), 201).body.zone
  }

  for (const [what, transfer, reason, limits] of [
    ['that has too many records', many, /more than 50 records/, small],
    ['that inflates', inflated, /more than 20000 bytes as text/, small],
    ['that never ends', endless, /more than 20000 bytes as text/, small],
    ['of which nothing comes, many times', nothing, /sent more than \d+ bytes/, tiny],
    ['with too many records at one name', crowded, /www\/A has more than 1000 records/, roomy],
    ['that is no message', broken, /malformed/, small],
  ] as const) {
    test(`a zone ${what} is refused, and nothing of it is kept`, async () => {
      const world = await openWorld(loopback)
      const primary = await startPrimary(transfer)
      const { place, reasons } = await listen(world, { limits })
      await makeSecondary(world.api, 'example.com', primary)
      await place.look()
      assert.equal(reasons.length, 1)
      assert.match(reasons[0]!, reason)
      const { zone } = (await world.api.get('/zones/example.com')).body
      assert.deepEqual([zone.status, zone.record_count], ['error', 0])
      assert.equal((await ask(place, 'example.com', 'SOA')).rcode, 'SERVFAIL')
      // What was on its way when the connection was broken off lies in the buffers of the sockets.
      assert.ok(primary.sent < 16 * 1024 * 1024, `${primary.sent} bytes were sent`)
    })
  }

  test('a zone as large as it may be is taken', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary((head, zone) => [
      withRecords(head, [soa(zone), ...Array.from({ length: 49 }, (_, index) => address(index)), soa(zone)]),
    ])
    const { place, reasons } = await listen(world)
    await makeSecondary(world.api, 'example.com', primary)
    await place.look()
    assert.deepEqual(reasons, [])
    const { zone } = (await world.api.get('/zones/example.com')).body
    assert.deepEqual([zone.status, zone.record_count], ['ok', 50])
    assert.deepEqual((await ask(place, 'n7.example.com', 'A')).answers, ['n7.example.com A 192.0.2.7'])
  })

  test('few zones are transferred at once, and a Project with many does not keep another one waiting', async () => {
    const world = await openWorld(loopback)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = await startPrimary(async function* (head, zone) {
      await released
      yield withRecords(head, [soa(zone), soa(zone)])
    })
    const quick = await startPrimary((head, zone) => [withRecords(head, [soa(zone), address(1), soa(zone)])])
    const { place, reasons } = await listen(world, { transfers: { inAll: 3, perProject: 2 } })
    for (let i = 0; i < 6; i++) await makeSecondary(world.api, `slow${i}.example`, slow)
    await makeSecondary(world.foreign, 'quick.example', quick)
    const looked = place.look()
    const isThere = async () => (await ask(place, 'n1.quick.example', 'A')).rcode === 'NOERROR'
    while (!(await isThere())) await new Promise(setImmediate)
    assert.equal(slow.most, 2)
    release()
    await looked
    assert.deepEqual([slow.most, reasons], [2, []])
    for (let i = 0; i < 6; i++) assert.equal((await ask(place, `slow${i}.example`, 'SOA')).rcode, 'NOERROR')
  })

  test('a name server that closes does not wait for a primary that says nothing', async () => {
    const world = await openWorld(loopback)
    let begun = () => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const silent = await startPrimary(async function* () {
      begun()
      await new Promise(() => undefined)
    })
    const { place } = await listen(world)
    for (let i = 0; i < 3; i++) await makeSecondary(world.api, `z${i}.example`, silent)
    const looked = place.look()
    await asked
    await place.close()
    await looked
  })
})

function* many(head: Buffer, zone: string) {
  yield withRecords(head, [soa(zone), ...Array.from({ length: 1_000 }, (_, index) => address(index))])
}

function* inflated(head: Buffer, zone: string) {
  yield withRecords(head, [soa(zone)])
  yield inflating(head, 40)
}

function* endless(head: Buffer, zone: string) {
  yield withRecords(head, [soa(zone)])
  // What lies outside the zone is not kept, but it counts.
  for (;;)
    yield withRecords(
      head,
      Array.from({ length: 20 }, () => record(zero, 16, Buffer.alloc(2_000))),
    )
}

function* nothing(head: Buffer, zone: string) {
  yield withRecords(head, [soa(zone)])
  for (;;) yield head
}

function* crowded(head: Buffer, zone: string) {
  const www = Buffer.concat([label('www'), toQuestion])
  const one = (index: number) => record(www, 1, Buffer.of(10, 0, index >> 8, index & 0xff))
  yield withRecords(head, [soa(zone), ...Array.from({ length: 1_001 }, (_, index) => one(index))])
}

function* broken(head: Buffer, zone: string) {
  yield withRecords(head, [soa(zone)])
  const message = Buffer.from(head)
  message.writeUInt16BE(3, 6)
  yield message
}
