/** Zones to other name servers and from them, on both databases; the others are played by the test. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { type Answer as DnsAnswer, decode, encode } from 'dns-packet'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, exchangeTcp, exchangeUdp, framed, question, serveDns, tell } from './client.ts'

const loopback = { settings: { zones: { privatePrimaries: ['127.0.0.0/8'] } } }

/** A name server that has one zone, as records; it closes with the test. */
interface Primary {
  readonly port: number
  records: DnsAnswer[]
  serial: number
  /** Queries that came, by type. */
  readonly asked: string[]
  /** Signs answers with this key, if set; a wrong one is the test's to choose. */
  secret: string | undefined
  /** What it answers when it is asked for changes: these records, or that it cannot; the whole zone if not set. */
  changes: DnsAnswer[] | 'not implemented' | undefined
  /** Answers with these bytes instead. */
  garbage: Buffer | undefined
}

const open: Server[] = []
const closeAll = () => {
  for (const server of open.splice(0)) server.close()
}
afterEach(closeAll)
after(closeAll)

const soaOf = (serial: number): DnsAnswer => ({
  type: 'SOA',
  name: 'example.com',
  ttl: 300,
  data: {
    mname: 'ns.primary.example',
    rname: 'me.primary.example',
    serial,
    refresh: 3_600,
    retry: 600,
    expire: 86_400,
    minimum: 60,
  },
})

async function startPrimary(now: () => number): Promise<Primary> {
  const state = {
    records: [] as DnsAnswer[],
    serial: 1,
    asked: [] as string[],
    secret: undefined,
    changes: undefined,
    garbage: undefined,
  } as Primary & { port: number }
  const server = createServer((socket) => {
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const message = rest.subarray(2, 2 + rest.readUInt16BE(0))
        rest = rest.subarray(2 + rest.readUInt16BE(0))
        for (const answer of answersTo(state, message, now)) socket.write(framed(answer))
      }
    })
  })
  open.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  state.port = (server.address() as { port: number }).port
  return state
}

function answersTo(state: Primary, message: Buffer, now: () => number): Buffer[] {
  if (state.garbage) return [state.garbage]
  const { id, questions } = decode(message)
  const { type } = questions![0]!
  state.asked.push(type)
  if (type === 'IXFR' && state.changes !== undefined) {
    const isRefused = state.changes === 'not implemented'
    const answers = isRefused ? [] : (state.changes as DnsAnswer[])
    return [encode({ type: 'response', id, flags: 0x400 | (isRefused ? 4 : 0), questions: questions!, answers })]
  }
  const soa = soaOf(state.serial)
  const all =
    type === 'SOA'
      ? [[soa]]
      : [
          [soa, ...state.records.slice(0, 1)],
          [...state.records.slice(1), soa],
        ]
  let previous = state.secret === undefined ? undefined : macOf(message)
  return all.map((answers, index) => {
    const plain = encode({ type: 'response', id, flags: 0x400, questions: questions!, answers })
    if (previous === undefined) return plain
    const signed = signedAs(plain, state.secret!, previous, index === 0, now())
    previous = signed.mac
    return signed.message
  })
}

// ---- TSIG, written down once more from RFC 8945 --------------------------------------------------------------------

const name = (text: string) =>
  Buffer.concat([
    ...text.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
    Buffer.of(0),
  ])
const sized = (bytes: Buffer) => Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes])

/** The MAC of a signed query: 32 bytes before the original id, the error and the length of other data. */
const macOf = (message: Buffer) => message.subarray(message.length - 6 - 32, message.length - 6)

function signedAs(message: Buffer, secret: string, previous: Buffer, isFirst: boolean, nowMs: number) {
  const times = Buffer.alloc(8)
  times.writeUIntBE(Math.floor(nowMs / 1000), 0, 6)
  times.writeUInt16BE(300, 6)
  const key = name('example.com')
  const algorithm = name('hmac-sha256')
  const head = Buffer.concat([key, Buffer.of(0, 255, 0, 0, 0, 0), algorithm])
  const about = isFirst ? Buffer.concat([head, times, Buffer.alloc(4)]) : times
  const mac = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(sized(previous))
    .update(message)
    .update(about)
    .digest()
  const data = Buffer.concat([algorithm, times, sized(mac), message.subarray(0, 2), Buffer.alloc(4)])
  const signed = Buffer.concat([message, key, Buffer.of(0, 250, 0, 255, 0, 0, 0, 0), sized(data)])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return { message: signed, mac }
}

// ---- The tests -----------------------------------------------------------------------------------------------------

const records: DnsAnswer[] = [
  { type: 'NS', name: 'example.com', ttl: 300, data: 'ns.primary.example' },
  { type: 'A', name: 'www.example.com', ttl: 120, data: '192.0.2.1' },
  { type: 'MX', name: 'example.com', ttl: 300, data: { preference: 10, exchange: 'mail.example.com' } },
  { type: 'TXT', name: '*.w.example.com', ttl: 300, data: ['a "quoted" text'] },
  { type: 'A', name: 'www.example.org', ttl: 300, data: '203.0.113.66' },
]

forEachDatabase('Transfers', (openWorld) => {
  async function makeSecondary(world: World, port: number, key: object = {}) {
    const body = {
      name: 'example.com',
      mode: 'secondary',
      primary_nameservers: [{ address: '127.0.0.1', port, ...key }],
    }
    return expect(await world.api.post('/zones', body), 201).body.zone
  }

  const zone = async ({ api }: World) => (await api.get('/zones/example.com')).body.zone

  test('a secondary zone has what its primary has, and asks again when it is time', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary(world.clock.now)
    primary.records = records
    const place = await serveDns(world)
    await makeSecondary(world, primary.port)
    await place.look()
    assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
    assert.deepEqual((await ask(place, 'x.w.example.com', 'TXT')).answers, ['x.w.example.com TXT a "quoted" text'])
    assert.deepEqual((await ask(place, 'example.com', 'SOA')).answers, [
      'example.com SOA ns.primary.example me.primary.example 1 3600 600 86400 60',
    ])
    assert.equal((await ask(place, 'www.example.org', 'A')).rcode, 'REFUSED')
    assert.equal((await zone(world)).record_count, 5)
    primary.records = [{ type: 'A', name: 'www.example.com', ttl: 60, data: '192.0.2.2' }]
    primary.serial = 2
    await place.look()
    assert.deepEqual(primary.asked, ['SOA', 'AXFR'])
    world.clock.advance(3_600_000)
    await place.look()
    assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.2'])
    world.clock.advance(3_600_000)
    await place.look()
    assert.deepEqual(primary.asked, ['SOA', 'AXFR', 'SOA', 'IXFR', 'SOA'])
    expect(await world.api.post('/zones/example.com/actions/change_ttl', { ttl: 600 }), 201)
    assert.equal((await ask(place, 'www.example.com', 'A')).packet.answers!.length, 1)
  })

  test('a secondary zone takes the changes of its primary, or all of it where they do not fit', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary(world.clock.now)
    primary.records = records
    const place = await serveDns(world)
    await makeSecondary(world, primary.port)
    await place.look()
    const www = (data: string): DnsAnswer => ({ type: 'A', name: 'www.example.com', ttl: 120, data })
    const told = async () => {
      const { answers } = await ask(place, 'www.example.com', 'A')
      const rcode = (await ask(place, 'example.com', 'MX')).rcode
      return [answers.map((one) => one.split(' ')[2]).sort(), rcode, primary.asked.splice(0).slice(1)]
    }
    assert.deepEqual(await told(), [['192.0.2.1'], 'NOERROR', ['AXFR']])
    const next = async (changes: Primary['changes'], whole: DnsAnswer[] = records) => {
      primary.serial++
      primary.records = whole
      primary.changes = changes
      world.clock.advance(3_600_000)
      await place.look()
      return told()
    }
    const [one, two, three] = [soaOf(1), soaOf(2), soaOf(3)]
    const steps = [two, one, www('192.0.2.1'), two, www('192.0.2.2'), www('192.0.2.3'), two]
    assert.deepEqual(await next(steps), [['192.0.2.2', '192.0.2.3'], 'NOERROR', ['IXFR']])
    assert.equal((await zone(world)).record_count, 6)
    const missing = [three, two, www('192.0.2.9'), three, three]
    assert.deepEqual(await next(missing, [www('192.0.2.4')]), [['192.0.2.4'], 'NOERROR', ['IXFR', 'AXFR']])
    const elsewhere = [soaOf(4), soaOf(1), www('192.0.2.4'), soaOf(4), soaOf(4)]
    assert.deepEqual(await next(elsewhere, [www('192.0.2.5')]), [['192.0.2.5'], 'NOERROR', ['IXFR', 'AXFR']])
    assert.deepEqual(await next('not implemented', [www('192.0.2.6')]), [['192.0.2.6'], 'NOERROR', ['IXFR', 'AXFR']])
    assert.deepEqual(await next([soaOf(1)], [www('192.0.2.7')]), [['192.0.2.7'], 'NOERROR', ['IXFR', 'AXFR']])
    assert.equal((await zone(world)).record_count, 2)
  })

  test('a primary that says that something has changed is asked at once; anybody else is not', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary(world.clock.now)
    primary.records = records
    const place = await serveDns(world)
    await makeSecondary(world, primary.port)
    await place.look()
    const notify = question('example.com', 'SOA')
    notify[2] = 0x24
    primary.serial = 2
    primary.records = [{ type: 'A', name: 'www.example.com', ttl: 60, data: '192.0.2.3' }]
    const answer = await exchangeUdp(place, notify)
    assert.deepEqual([answer[2]! & 0xf8, answer[3]], [0xa0, 0])
    await place.look()
    assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.3'])
    const elsewhere = [{ address: '127.0.0.2', port: primary.port }]
    await world.api.post('/zones/example.com/actions/change_primary_nameservers', { primary_nameservers: elsewhere })
    assert.equal((await exchangeUdp(place, notify))[3], 9)
    const other = question('example.org', 'SOA')
    other[2] = 0x24
    assert.equal((await exchangeUdp(place, other))[3], 9)
  })

  test('with a key, only what is signed with it is believed', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary(world.clock.now)
    primary.records = records
    const place = await serveDns(world)
    const secret = Buffer.from('a secret of some length').toString('base64')
    await makeSecondary(world, primary.port, { tsig_algorithm: 'hmac-sha256', tsig_key: secret })
    const again = async () => {
      world.clock.advance(3_600_000)
      await place.look()
      return (await ask(place, 'www.example.com', 'A')).rcode
    }
    assert.equal(await again(), 'SERVFAIL', 'not signed')
    primary.secret = Buffer.from('another secret').toString('base64')
    assert.equal(await again(), 'SERVFAIL', 'signed with another key')
    assert.equal((await zone(world)).status, 'error')
    primary.secret = secret
    assert.equal(await again(), 'NOERROR')
    assert.equal((await zone(world)).status, 'ok')
  })

  test('without its primaries a zone is served until it expires, and not after that', async () => {
    const world = await openWorld(loopback)
    const primary = await startPrimary(world.clock.now)
    primary.records = records
    const place = await serveDns(world)
    await makeSecondary(world, primary.port)
    await place.look()
    primary.garbage = Buffer.from('this is no message at all')
    const hours = async (count: number) => {
      world.clock.advance(count * 3_600_000)
      await place.look()
      return (await ask(place, 'www.example.com', 'A')).rcode
    }
    assert.equal(await hours(2), 'NOERROR')
    assert.equal(await hours(20), 'NOERROR')
    assert.equal(await hours(3), 'SERVFAIL')
    assert.equal((await zone(world)).status, 'error')
    primary.garbage = undefined
    assert.equal(await hours(1), 'NOERROR')
    assert.equal((await zone(world)).status, 'ok')
  })

  test('a zone goes as a whole to whom the operator names, and to nobody else', async () => {
    const world = await openWorld()
    const many = Array.from({ length: 900 }, (_, i) => `n${i} 60 TXT "${'x'.repeat(50)}"`).join('\n')
    expect(await world.api.post('/zones', { name: 'example.com', mode: 'primary', zonefile: many }), 201)
    const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] })
    const messages = await exchangeTcp(place, question('example.com', 'AXFR'), 5)
    const all = messages.flatMap((message) => decode(message).answers ?? [])
    assert.ok(messages.length > 3)
    assert.deepEqual([all[0]!.type, all.at(-1)!.type, all.length], ['SOA', 'SOA', 905])
    const stranger = await serveDns(world, { transferTo: [{ address: '192.0.2.1', port: 53 }] })
    assert.equal(tell((await exchangeTcp(stranger, question('example.com', 'AXFR')))[0]!).rcode, 'REFUSED')
    assert.equal(tell((await exchangeTcp(place, question('example.org', 'AXFR')))[0]!).rcode, 'REFUSED')
  })

  test('who may have every zone is told which there are, and nobody else is', async () => {
    const world = await openWorld()
    const create = (name: string) => world.api.post('/zones', { name, mode: 'primary' })
    expect(await create('example.com'), 201)
    const place = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] })
    const listed = async () => {
      const [message] = await exchangeTcp(place, question('catalog.wolke.example', 'AXFR'))
      const all = decode(message!).answers ?? []
      const serial = (all[0] as { data: { serial: number } }).data.serial
      return { serial, zones: all.flatMap((one) => (one.type === 'PTR' ? [one.data] : [])) }
    }
    const first = await listed()
    assert.deepEqual(first.zones, ['example.com'])
    expect(await create('other.example'), 201)
    expect(await world.api.delete('/zones/example.com'), 201)
    const second = await listed()
    assert.deepEqual(second.zones, ['other.example'])
    assert.ok(second.serial > first.serial)
    assert.deepEqual((await ask(place, 'version.catalog.wolke.example', 'TXT')).answers, [
      'version.catalog.wolke.example TXT 2',
    ])
    const both = await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: 1 }] }, '::')
    const overIpv4 = { host: '127.0.0.1', port: both.port }
    assert.equal((await ask(overIpv4, 'version.catalog.wolke.example', 'TXT')).rcode, 'NOERROR')
    const stranger = await serveDns(world, { transferTo: [{ address: '192.0.2.1', port: 53 }] })
    assert.equal((await ask(stranger, 'version.catalog.wolke.example', 'TXT')).rcode, 'REFUSED')
  })

  test('who may have a zone hears of its changes', async () => {
    const world = await openWorld()
    const socket = createSocket('udp4')
    const heard: string[] = []
    let wake = () => {}
    socket.on('message', (bytes, { port, address }) => {
      const { questions, id } = decode(bytes)
      assert.equal(bytes[2]! & 0x78, 0x20)
      const { name } = questions![0]!
      heard.push(name)
      socket.send(encode({ type: 'response', id, flags: 0x2400, questions: questions! }), port, address)
      if (name === 'example.com') wake()
    })
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    try {
      await serveDns(world, { transferTo: [{ address: '127.0.0.1', port: socket.address().port }] })
      const next = async (change: () => Promise<unknown>) => {
        const arrival = new Promise<void>((resolve) => {
          wake = resolve
        })
        await change()
        await arrival
      }
      await next(() => world.api.post('/zones', { name: 'example.com', mode: 'primary' }))
      await next(() => world.api.post('/zones/example.com/actions/change_ttl', { ttl: 60 }))
      assert.deepEqual(heard.filter((name) => name === 'example.com').length, 2)
    } finally {
      socket.close()
    }
  })
})
