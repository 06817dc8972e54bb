/** Response rate limiting: what a network gets over UDP when it asks too often, or somebody under its name. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { describe, test } from 'node:test'
import { defaultResponseRates, ResponseRateLimiter } from '../../src/dns/response-rate.ts'
import { forDatabasesInTurn, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { stopTimer } from '../kit/samples/timer.ts'
import { ask, exchangeUdp, type Place, question, serveDns, tell } from './client.ts'

describe('The limiter', () => {
  function limiter(rates: object = {}, onLimit: (network: string) => void = () => {}) {
    let nowMs = 1_000
    const all = { perAnswer: 5, perNetwork: 100, slip: 2, exempt: [], ...rates }
    const made = new ResponseRateLimiter(all, { onLimit, now: () => nowMs })
    const judge = (address: string, countedAs: string, times: number) =>
      Array.from({ length: times }, () => made.judge(address, countedAs)[0]).join('')
    return { judge, wait: (ms: number) => (nowMs += ms) }
  }

  test('so many answers of a kind are sent in a second; of the others every second is truncated', () => {
    const { judge, wait } = limiter()
    assert.equal(judge('192.0.2.1', 'a', 11), 'sssssdtdtdt')
    assert.equal(judge('192.0.2.1', 'b', 5), 'sssss')
    wait(2_000)
    assert.equal(judge('192.0.2.1', 'a', 6), 'ssssdt')
  })

  test('who goes on asking is not answered again before it is quieter', () => {
    const { judge, wait } = limiter()
    judge('192.0.2.1', 'a', 1_000)
    wait(14_000)
    assert.equal(judge('192.0.2.1', 'a', 1), 't')
    wait(1_500)
    assert.equal(judge('192.0.2.1', 'a', 1), 's')
  })

  test('the addresses of a network count together, those of others do not', () => {
    const { judge } = limiter({ perAnswer: 1, slip: 0 })
    for (const [address, expected] of [
      ['192.0.2.1', 's'],
      ['192.0.2.255', 'd'],
      ['192.0.3.1', 's'],
      ['2001:db8:0:ff::1', 's'],
      ['2001:db8::2', 'd'],
      ['2001:db8:0:100::1', 's'],
    ] as const) {
      assert.equal(judge(address, 'a', 1), expected, address)
    }
  })

  test('a network gets so many answers in all, however different they are', () => {
    const { judge } = limiter({ slip: 1 })
    const all = Array.from({ length: 150 }, (_, index) => judge('192.0.2.1', `name ${index}`, 1)).join('')
    assert.equal(all, 's'.repeat(100) + 't'.repeat(50))
  })

  test('it says which network is over a limit, not more than once a minute', () => {
    const told: string[] = []
    const { judge, wait } = limiter({}, (network) => told.push(network))
    for (const [afterMs, address] of [
      [0, '192.0.2.1'],
      [50_000, '192.0.3.1'],
      [11_000, '2001:db8::1'],
    ] as const) {
      wait(afterMs)
      judge(address, 'a', 10)
    }
    assert.deepEqual(told, ['192.0.2.0/24', '2001:db8::/56'])
  })

  test('who is exempt gets every answer', () => {
    const { judge } = limiter({ perAnswer: 1, exempt: ['192.0.2.128/25', '2001:db8::/32'] })
    assert.equal(judge('192.0.2.200', 'a', 50), 's'.repeat(50))
    assert.equal(judge('2001:db8::1', 'a', 50), 's'.repeat(50))
    assert.equal(judge('192.0.2.1', 'a', 3), 'sdt')
  })
})

forDatabasesInTurn('Response rates', (open) => {
  const record = (name: string, type: string, ...values: string[]) => ({
    name,
    type,
    records: values.map((value) => ({ value })),
  })

  async function start(world: World, rates: object): Promise<Place> {
    const rrsets = [
      record('www', 'A', '192.0.2.1'),
      record('*.w', 'TXT', `"${'x'.repeat(200)}"`),
      record('a', 'CNAME', 'www'),
    ]
    expect(await world.api.post('/zones', { name: 'example.com', mode: 'primary', rrsets }), 201)
    return serveDns(world, { responseRates: { ...defaultResponseRates, perAnswer: 1, exempt: [], ...rates } })
  }

  /** Sends queries all at once; tells how many were answered in full and how many truncated by when the last one was. */
  async function flood(place: Place, queries: readonly Buffer[]): Promise<{ full: number; truncated: Buffer[] }> {
    const socket = createSocket('udp4')
    const truncated: Buffer[] = []
    let full = 0
    try {
      await new Promise<void>((resolve) => {
        socket.on('message', (answer) => {
          if (answer.readUInt16BE(0) === 1) resolve()
          else if ((answer[2]! & 2) !== 0) truncated.push(answer)
          else full++
        })
        // What is asked last has an account of its own.
        const last = question('www.example.com', 'AAAA', { packet: { id: 1 } })
        for (const query of [...queries, last]) socket.send(query, place.port, place.host)
      })
    } finally {
      socket.close()
    }
    return { full, truncated }
  }

  const count = 40
  const types = ['A', 'AAAA', 'CAA', 'MX', 'SRV', 'TXT']
  for (const [what, query] of [
    ['the same answer', () => question('www.example.com', 'A')],
    ['names that do not exist', (index: number) => question(`x${index}.example.com`, 'A')],
    ['names that a wildcard stands for', (index: number) => question(`x${index}.w.example.com`, 'TXT')],
    [
      'an alias, whatever type is asked for',
      (index: number) => question('a.example.com', types[index % types.length]!),
    ],
    ['errors', (index: number) => question(`x${index}.example.org`, 'A')],
  ] as const) {
    test(`${what}: few are sent, half of the others make whoever asks come again over TCP`, async (t) => {
      const place = await start(await open(), {})
      stopTimer(t)
      const queries = Array.from({ length: count }, (_, index) => query(index))
      const { full, truncated } = await flood(place, queries)
      assert.ok(full >= 1 && full < 5, `${full} in full`)
      assert.ok(
        truncated.length >= (count - full) / 2 - 1 && truncated.length <= (count - full) / 2,
        `${truncated.length}`,
      )
      for (const answer of truncated) assert.ok(answer.length <= queries.at(-1)!.length)
      const told = await ask(place, 'www.example.com', 'A', { tcp: true })
      assert.deepEqual(told.answers, ['www.example.com A 192.0.2.1'])
    })
  }

  test('a truncated answer has its question and says what EDNS says', async (t) => {
    const place = await start(await open(), { slip: 1 })
    stopTimer(t)
    const query = question('www.example.com', 'A', { edns: 1_232 })
    assert.equal(tell(await exchangeUdp(place, query)).isTruncated, false)
    const again = await exchangeUdp(place, query)
    const { isTruncated, packet, rcode } = tell(again)
    assert.deepEqual(
      [isTruncated, rcode, packet.answers, packet.questions![0]!.name],
      [true, 'NOERROR', [], 'www.example.com'],
    )
    assert.deepEqual([packet.additionals!.length, packet.additionals![0]!.type], [1, 'OPT'])
    assert.ok(again.length <= query.length)
  })

  test('loopback is exempt unless the operator says otherwise', async () => {
    const place = await start(await open(), { exempt: defaultResponseRates.exempt })
    const queries = Array.from({ length: count }, () => question('www.example.com', 'A'))
    assert.equal((await flood(place, queries)).full, count)
  })
})
