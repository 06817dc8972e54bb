/** Answers that were given before: they come back as they would be made anew, to whoever asks in whatever form. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forDatabasesInTurn } from '../kit/harness.ts'
import { ask, exchangeTcp, exchangeUdp, optOf, type Place, question, serveDns } from './client.ts'
import { makeZone, rrset } from './zones.ts'

const [a, https, type97] = [1, 65, 97]
/** Labels as bytes: some differ in case alone, some in bits that matter to all but letters, and some have a zero byte. */
const labels = ['www', 'WWW', 'wWw', 'x@y', 'x`y', 'a\0b', 'a\0B', 'missing', 'w']

/** What a query may have besides its question. */
interface Form {
  readonly id: number
  readonly flags: number
  readonly edns: number | undefined
  readonly dnssecOk: boolean
  /** The length of an option that says nothing, in bytes. */
  readonly padding: number | undefined
}

const forms: fc.Arbitrary<Form> = fc.record({
  id: fc.nat(65_535),
  flags: fc.constantFrom(0, 0x100, 0x10, 0x120),
  edns: fc.constantFrom(undefined, 512, 1232, 4096),
  dnssecOk: fc.boolean(),
  padding: fc.option(fc.nat(20), { nil: undefined }),
})

/** A query with a label as it is in front of `example.com`, and with its type as a number. */
function asked(label: string, type: number, { id, flags, edns, dnssecOk, padding }: Form): Buffer {
  const opt = optOf(edns ?? 0, {
    flags: dnssecOk ? 0x8000 : 0,
    flag_do: dnssecOk,
    options: padding === undefined ? [] : [{ code: 12, type: 'PADDING', length: padding }],
  })
  const bytes = question(`${'x'.repeat(label.length)}.example.com`, 'A', {
    packet: { id, flags, ...(edns === undefined ? {} : { additionals: [opt] }) },
  })
  bytes.write(label, 13, 'latin1')
  bytes.writeUInt16BE(type, 13 + label.length + '_example_com_'.length)
  return bytes
}

/** The answer over UDP, which is kept, and the one over TCP, which is made for each query. */
async function bothAnswers(place: Place, query: Buffer): Promise<string[]> {
  const [udp, [tcp]] = [await exchangeUdp(place, query), await exchangeTcp(place, query)]
  return [udp.toString('hex'), tcp!.toString('hex')]
}

forDatabasesInTurn('Answers that were given before', (open) => {
  test('are those that would be made anew, byte by byte', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1'), rrset('www', 'HTTPS', '1 .'), rrset('w', 'A', '192.0.2.2')])
    const place = await serveDns(world)
    const queries = fc.tuple(fc.constantFrom(...labels), fc.constantFrom(a, https, type97), forms)
    await fc.assert(
      fc.asyncProperty(fc.array(queries, { minLength: 30, maxLength: 60 }), async (some) => {
        for (const [label, type, form] of some) {
          const [kept, anew] = await bothAnswers(place, asked(label, type, form))
          assert.equal(kept, anew, JSON.stringify([label, type, form]))
        }
      }),
      { numRuns: 10 },
    )
  })

  test('give way to those of a change, however often they were given', async () => {
    const world = await open()
    const { api } = world
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    const answers = async () => {
      const given: string[] = []
      for (let times = 0; times < 4; times++) given.push(...(await ask(place, 'www.example.com', 'A')).answers)
      return new Set(given)
    }
    for (let last = 1; last <= 5; last++) {
      const records = [{ value: `192.0.2.${last}` }]
      const { status } = await api.post('/zones/example.com/rrsets/www/A/actions/set_records', { records })
      assert.equal(status, 201)
      assert.deepEqual(await answers(), new Set([`www.example.com A 192.0.2.${last}`]))
    }
  })

  test('lead on to a zone that came, went or came again after they were given', async () => {
    const world = await open()
    await makeZone(world, [rrset('c', 'CNAME', 'www.example.net.')])
    const place = await serveDns(world)
    const alias = 'c.example.com CNAME www.example.net'
    const answersAre = async (...expected: string[]) => {
      for (let times = 0; times < 4; times++)
        assert.deepEqual((await ask(place, 'c.example.com', 'A')).answers, [alias, ...expected])
    }
    await answersAre()
    for (const address of ['192.0.2.7', '192.0.2.8']) {
      await makeZone(world, [rrset('www', 'A', address)], { name: 'example.net' })
      await answersAre(`www.example.net A ${address}`)
      assert.equal((await world.api.delete('/zones/example.net')).status, 201)
      await answersAre()
    }
  })
})
