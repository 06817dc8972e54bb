/** Primary name servers that send what harms, on both databases: too much, without end, or nothing at all. */
import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openLog } from '../../src/kernel/process/log.ts'
import type { GivenSettings } from '../../src/platform.ts'
import { type Client, forDatabasesInTurn } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, exchangeUdp, framed, question, serveDns } from './client.ts'
import { inZone, message, type Primary, record, soa, startPrimary as start, type Transfer } from './hostile-primary.ts'

const small = { records: 50, textBytes: 20_000 }
const tiny = { records: 5, textBytes: 2_000 }
/** Large enough for a crowd at one name. */
const roomy = { records: 5_000, textBytes: 200_000 }

const primaries: Primary[] = []
const closeAll = () => Promise.all(primaries.splice(0).map((primary) => primary.close()))
afterEach(closeAll)
after(closeAll)

async function startPrimary(transfer: Transfer): Promise<Primary> {
  const primary = await start(async function* (head, zone) {
    for await (const piece of transfer(head, zone)) {
      yield piece
      // It shares its process with the name server, which has to have its turns.
      await nextTurn()
    }
  })
  primaries.push(primary)
  return primary
}

const root = Buffer.of(0)
const address = (index: number) => record(inZone(`n${index}`), 1, Buffer.of(192, 0, 2, index % 250))

/** A record of 20 bytes that becomes 2,000 characters: it points twice to a name whose every byte has to be escaped. */
function inflating(head: Buffer, count: number): Buffer {
  const long = Buffer.concat([...[63, 63, 63, 49].map((n) => Buffer.concat([Buffer.of(n), Buffer.alloc(n)])), root])
  const first = record(inZone('long'), 17, Buffer.concat([long, root]))
  const place = 0xc000 + head.length + 'long'.length + 3 + 10
  const pointer = Buffer.of(place >> 8, place & 0xff)
  const others = Array.from({ length: count }, (_, index) =>
    record(inZone(`r${index}`), 17, Buffer.concat([pointer, pointer])),
  )
  return message(head, [first, ...others])
}

/** A zone with one record of a type. */
const sends = (type: number, data: Buffer) =>
  function* transfer(head: Buffer) {
    yield message(head, [soa(), record(inZone('www'), type, data), soa()])
  }

/** NSEC3PARAM with SHA-1 and one iteration more than there may be. */
const slowly = sends(51, Buffer.of(1, 0, 0, 151, 0))

// ---- The tests -----------------------------------------------------------------------------------------------------

forDatabasesInTurn('Hostile primaries', (open) => {
  /** An installation whose log is a list of reasons why there was no transfer, and its name server. */
  async function openWith(zones: GivenSettings['zones'] = {}) {
    const reasons: string[] = []
    const write = (line: string) => void reasons.push(...(JSON.parse(line).reason ? [JSON.parse(line).reason] : []))
    const settings = { zones: { privatePrimaries: ['127.0.0.0/8'], limits: small, ...zones } }
    const world = await open({ settings, log: openLog('info', { write }) })
    return { world, place: await serveDns(world), reasons }
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
    ['whose names take long to hash', slowly, /151 iterations, and there can be at most 150/, small],
    ['with a DNAME record that is cut off', sends(39, Buffer.of(3, 1)), /a malformed TYPE39 record/, small],
    ['with an RRSIG record that is cut off', sends(46, Buffer.alloc(18)), /a malformed TYPE46 record/, small],
    ['with an NSEC3 record that is cut off', sends(50, Buffer.of(1, 0, 0, 1, 9)), /a malformed TYPE50 record/, small],
  ] as const) {
    test(`a zone ${what} is refused, and nothing of it is kept`, async () => {
      const { world, place, reasons } = await openWith({ limits })
      const primary = await startPrimary(transfer)
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
    const { world, place, reasons } = await openWith()
    const primary = await startPrimary((head) => [
      message(head, [soa(), ...Array.from({ length: 49 }, (_, index) => address(index)), soa()]),
    ])
    await makeSecondary(world.api, 'example.com', primary)
    await place.look()
    assert.deepEqual(reasons, [])
    const { zone } = (await world.api.get('/zones/example.com')).body
    assert.deepEqual([zone.status, zone.record_count], ['ok', 50])
    assert.deepEqual((await ask(place, 'n7.example.com', 'A')).answers, ['n7.example.com A 192.0.2.7'])
  })

  test('data that has no other spelling is served as the bytes that came', async () => {
    const { world, place, reasons } = await openWith()
    // An alias of a service has no parameters, and a zone file cannot say that it has.
    const data = Buffer.from('0000037777770003000201bb', 'hex')
    const full = Buffer.concat([data.subarray(0, 6), Buffer.of(0), data.subarray(6)])
    const primary = await startPrimary(sends(65, full))
    await makeSecondary(world.api, 'example.com', primary)
    await place.look()
    assert.deepEqual(reasons, [])
    const query = question('www.example.com', 'A')
    query.writeUInt16BE(65, query.length - 4)
    assert.equal((await exchangeUdp(place, query)).subarray(-full.length).toString('hex'), full.toString('hex'))
  })

  test('few zones are transferred at once, and a Project with many does not keep another one waiting', async () => {
    const { world, place, reasons } = await openWith({ transfers: { inAll: 3, perProject: 2 } })
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = await startPrimary(async function* (head) {
      await released
      yield message(head, [soa(), soa()])
    })
    const quick = await startPrimary((head) => [message(head, [soa(), address(1), soa()])])
    for (let i = 0; i < 6; i++) await makeSecondary(world.api, `slow${i}.example`, slow)
    await makeSecondary(world.foreign, 'quick.example', quick)
    const looked = place.look()
    const isThere = async () => (await ask(place, 'n1.quick.example', 'A')).rcode === 'NOERROR'
    while (!(await isThere())) await new Promise(setImmediate)
    assert.equal(slow.mostTransfers, 2)
    release()
    await looked
    assert.deepEqual([slow.mostTransfers, reasons], [2, []])
    for (let i = 0; i < 6; i++) assert.equal((await ask(place, `slow${i}.example`, 'SOA')).rcode, 'NOERROR')
  })

  test('a name server that closes does not wait for a primary that says nothing', async () => {
    const { world, place } = await openWith()
    let begun = () => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const silent = await startPrimary(async function* () {
      begun()
      await new Promise(() => undefined)
    })
    for (let i = 0; i < 3; i++) await makeSecondary(world.api, `z${i}.example`, silent)
    const looked = place.look()
    await asked
    await place.close()
    await looked
  })
})

function* many(head: Buffer) {
  yield message(head, [soa(), ...Array.from({ length: 1_000 }, (_, index) => address(index))])
}

function* inflated(head: Buffer) {
  yield message(head, [soa()])
  yield inflating(head, 40)
}

function* endless(head: Buffer) {
  yield message(head, [soa()])
  // What lies outside the zone is not kept, but it counts.
  for (;;)
    yield message(
      head,
      Array.from({ length: 20 }, () => record(root, 16, Buffer.alloc(2_000))),
    )
}

function* nothing(head: Buffer) {
  yield message(head, [soa()])
  for (;;) yield framed(head)
}

function* crowded(head: Buffer) {
  const www = inZone('www')
  const one = (index: number) => record(www, 1, Buffer.of(10, 0, index >> 8, index & 0xff))
  yield message(head, [soa(), ...Array.from({ length: 1_001 }, (_, index) => one(index))])
}

function* broken(head: Buffer) {
  yield message(head, [soa()])
  const cut = Buffer.from(head)
  cut.writeUInt16BE(3, 6)
  yield framed(cut)
}
