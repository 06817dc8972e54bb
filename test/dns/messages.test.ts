/** Messages to the name server and back: their size, their form, and whatever else somebody sends. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { forDatabasesInTurn } from '../kit/harness.ts'
import { ask, exchangeStream, exchangeTcp, exchangeUdp, framed, question, serveDns, tell } from './client.ts'
import { makeZone, rrset } from './zones.ts'

forDatabasesInTurn('Messages to the name server', (open) => {
  test('an answer is as long as the client can take, and comes whole over TCP', async () => {
    const world = await open()
    const values = Array.from({ length: 60 }, (_, i) => `192.0.2.${i}`)
    await makeZone(world, [
      rrset('www', 'A', ...values.slice(0, 40)),
      rrset('many', 'TXT', `"${'x'.repeat(200)}"`, ...values.slice(0, 40).map((v) => `"${v.padEnd(60)}"`)),
    ])
    const place = await serveDns(world)
    for (let i = 0; i < 2; i++) {
      const short = await ask(place, 'www.example.com', 'A')
      assert.deepEqual([short.isTruncated, short.answers], [true, []])
      assert.ok(short.bytes.length <= 512)
      const long = await ask(place, 'www.example.com', 'A', { edns: 1232 })
      assert.deepEqual([long.isTruncated, long.answers.length], [false, 40])
      const tooLong = await ask(place, 'many.example.com', 'TXT', { edns: 4096 })
      assert.deepEqual([tooLong.isTruncated, tooLong.bytes.length <= 1232], [true, true])
      const whole = await ask(place, 'many.example.com', 'TXT', { tcp: true })
      assert.deepEqual([whole.isTruncated, whole.answers.length], [false, 41])
    }
  })

  test('EDNS is answered with EDNS; a version of it that does not exist yet is refused', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    const told = await ask(place, 'example.com', 'SOA', { edns: 4096 })
    const opt = told.packet.additionals!.find((one) => one.type === 'OPT') as { udpPayloadSize: number } | undefined
    assert.equal(opt?.udpPayloadSize, 1232)
    assert.equal((await ask(place, 'example.com', 'SOA')).packet.additionals!.length, 0)
    const future = question('example.com', 'SOA', { edns: 1232 })
    future[future.length - 5] = 1
    const bytes = await exchangeUdp(place, future)
    // The upper bits of the response code are in the OPT record: 1, which makes it 16 (BADVERS).
    assert.deepEqual([bytes[3]! & 0xf, bytes.at(-6)], [0, 1])
  })

  test('ANY is answered with one small record, whatever there is', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1'), rrset('www', 'TXT', '"x"')])
    const place = await serveDns(world)
    assert.deepEqual((await ask(place, 'www.example.com', 'ANY')).answers, ['www.example.com HINFO RFC8482 '])
    assert.equal((await ask(place, 'x.example.com', 'ANY')).rcode, 'NXDOMAIN')
  })

  test('the question comes back letter by letter, and its case makes no difference', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    for (const name of ['www.example.com', 'WWW.eXample.COM', 'wWw.ExAmPlE.cOm']) {
      const told = await ask(place, name, 'A')
      assert.equal(told.packet.questions![0]!.name, name)
      assert.deepEqual(told.answers, [`${name} A 192.0.2.1`])
    }
  })

  test('id and recursion are those of the query, and recursion is never offered', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    for (const [id, flags] of [
      [1, 0],
      [65_535, 0x100],
      [256, 0],
    ] as const) {
      const { packet } = await ask(place, 'example.com', 'SOA', { packet: { id, flags } })
      assert.deepEqual([packet.id, packet.flag_rd, packet.flag_ra, packet.flag_qr], [id, flags !== 0, false, true])
    }
  })

  test('what is no question for us is refused in the terms of the protocol', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    const rcode = async (change: (bytes: Buffer) => Buffer | undefined, type = 'A') => {
      const bytes = question('example.com', type)
      return (await exchangeUdp(place, change(bytes) ?? bytes))[3]! & 0xf
    }
    const at = (place: number, value: number) => (bytes: Buffer) => {
      bytes[place] = value
      return undefined
    }
    assert.equal(await rcode(at(2, 0x28)), 4, 'UPDATE')
    assert.equal(await rcode(at(2, 0x10)), 4, 'STATUS')
    assert.equal(await rcode(at(5, 0)), 1, 'no question')
    assert.equal(await rcode(at(5, 2)), 1, 'two questions')
    assert.equal(await rcode((bytes) => bytes.subarray(0, 20)), 1, 'half a question')
    assert.equal(await rcode(at(12, 0xc0)), 1, 'a pointer instead of a name')
    assert.equal(await rcode(at(11, 1)), 1, 'a record that is not there')
    assert.equal(await rcode((bytes) => at(bytes.length - 1, 3)(bytes)), 5, 'class CH')
    assert.equal(await rcode((bytes) => bytes, 'AXFR'), 1, 'a transfer over UDP')
    assert.equal((await exchangeTcp(place, question('example.com', 'AXFR')))[0]![3]! & 0xf, 5, 'a transfer for anybody')
    assert.equal((await ask(place, 'example.com', 'SOA')).rcode, 'NOERROR')
  })

  test('over TCP several queries come through one connection, and are answered in order', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    const messages = [1, 2, 3].map((id) => framed(question('www.example.com', 'A', { packet: { id } })))
    const answers = await exchangeStream(place, Buffer.concat(messages), 3)
    assert.deepEqual(
      answers.map((bytes) => tell(bytes).packet.id),
      [1, 2, 3],
    )
  })

  test('over TCP connections whose queries never end make room for those who ask', async (t) => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    const slow = Array.from({ length: 50 }, () => connect(place.port, place.host).on('error', () => undefined))
    t.after(() => slow.map((socket) => socket.destroy()))
    for (const socket of slow) {
      socket.write(Buffer.of(0))
      if (socket.connecting) await once(socket, 'connect')
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(place, 'www.example.com', 'A', { tcp: true })),
    )
    assert.ok(answers.every(({ rcode }) => rcode === 'NOERROR'))
  })

  test('nothing that anybody sends stops it', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1'), rrset('*', 'TXT', '"x"')])
    const place = await serveDns(world)
    const valid = [
      question('www.example.com', 'A', { edns: 1232 }),
      question('a.b.example.com', 'TXT'),
      question('1.2.0.192.in-addr.arpa', 'PTR'),
    ]
    const mutated = fc
      .tuple(
        fc.constantFrom(...valid),
        fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(60),
      )
      .map(([bytes, changes, cut]) => {
        const copy = Buffer.from(bytes)
        for (const [where, value] of changes) copy[where % copy.length] = value
        return copy.subarray(0, copy.length - (cut % 20))
      })
    const loops = fc.nat(40).map((offset) => {
      const bytes = Buffer.concat([
        question('x.example.com', 'A'),
        Buffer.of(0xc0, 12 + offset, 0, 41, 0, 0, 0, 0, 0, 0, 0, 0),
      ])
      bytes[11] = 1
      return bytes
    })
    const anything = fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated, loops)
    const sender = createSocket('udp4')
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        sender.send(bytes, place.port, place.host)
        // What was sent before has been looked at when the answer to a good question is there.
        assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
      }),
      { numRuns: 300 },
    )
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        await exchangeStream(place, bytes, 0)
        await exchangeStream(place, framed(bytes), 0)
      }),
      { numRuns: 20 },
    )
    sender.close()
    assert.deepEqual((await ask(place, 'www.example.com', 'A', { tcp: true })).answers, ['www.example.com A 192.0.2.1'])
  })
})
