/** Answers of signed zones as validators take them: Unbound and delv. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { expect } from '../../kit/resources.ts'
import { ask, optOf, serveDns, type Told } from '../client.ts'
import { goingClock } from '../going-clock.ts'
import { rrset } from '../zones.ts'
import { delv, keysOf, makeSigned, missingPrograms, signaturesOf, withTampering, withUnbound } from './kit.ts'

const missing = missingPrograms()
const yes = '; fully validated'
const none = '; negative response, fully validated'

/** Questions, with what delv says, and the code and number of records that Unbound answers with. */
const questions: readonly (readonly [name: string, type: string, said: string, rcode: string, count: number])[] = [
  ['example.com', 'SOA', yes, 'NOERROR', 1],
  ['example.com', 'NS', yes, 'NOERROR', 3],
  ['example.com', 'DNSKEY', yes, 'NOERROR', 1],
  ['example.com', 'MX', none, 'NOERROR', 0],
  ['www.example.com', 'A', yes, 'NOERROR', 2],
  ['WwW.eXample.com', 'A', yes, 'NOERROR', 2],
  ['www.example.com', 'AAAA', none, 'NOERROR', 0],
  ['www.upper.example.com', 'MX', yes, 'NOERROR', 2],
  ['alias.example.com', 'A', yes, 'NOERROR', 3],
  ['alias.example.com', 'CNAME', yes, 'NOERROR', 1],
  ['alias.example.com', 'AAAA', yes, 'NOERROR', 1],
  ['dangling.example.com', 'A', yes, 'NOERROR', 1],
  ['b.empty.example.com', 'A', none, 'NOERROR', 0],
  ['a.b.empty.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.y.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['x.wild.example.com', 'A', none, 'NOERROR', 0],
  ['*.wild.example.com', 'TXT', yes, 'NOERROR', 1],
  ['wild.example.com', 'TXT', none, 'NOERROR', 0],
  ['x.aliases.example.com', 'A', yes, 'NOERROR', 3],
  ['svc.example.com', 'HTTPS', yes, 'NOERROR', 1],
  ['text.example.com', 'TXT', yes, 'NOERROR', 12],
  ['nothing.example.com', 'A', none, 'NOERROR', 0],
  ['below.www.example.com', 'A', none, 'NOERROR', 0],
  ['a\\000b.example.com', 'A', none, 'NOERROR', 0],
  [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(49)}.example.com`, 'A', none, 'NOERROR', 0],
  ['secure.example.com', 'DS', yes, 'NOERROR', 1],
  ['insecure.example.com', 'DS', none, 'NOERROR', 0],
]

forEachDatabase('Signed zones', (open) => {
  test('are validated in all that they answer', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    // delv has no other clock than that of the machine.
    const world = await open({ alone: true, clock: goingClock() })
    const place = await serveDns(world)
    await makeSigned(world)
    const keys = await keysOf(place)
    assert.equal(keys.length, 1)
    const asked = questions.map(([name, type]) => [name, type] as const)
    assert.deepEqual(
      await delv(place, keys, asked),
      questions.map(([name, type, said]) => `${name} ${type} ${said}`),
    )
    await withUnbound(place, [`DNSKEY ${keys[0]}`], world.clock.now(), async (resolver) => {
      for (const [name, type, , rcode, count] of questions) {
        const answer = await resolver.ask(name, type)
        const told = { rcode: answer.rcode, isSecure: answer.isSecure, count: answer.answers.length }
        assert.deepEqual(told, { rcode, isSecure: true, count }, `${name} ${type}`)
      }
    })
  })

  test('that were tampered with on their way are refused by validators', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const world = await open({ alone: true })
    const place = await serveDns(world)
    await makeSigned(world)
    const [key] = await keysOf(place)
    const change = (bytes: Buffer) => {
      const at = bytes.indexOf(Buffer.of(192, 0, 2, 2))
      if (at >= 0) bytes[at + 3] = 66
    }
    await withTampering(place, change, (tampered) =>
      withUnbound(tampered, [`DNSKEY ${key}`], world.clock.now(), async (resolver) => {
        assert.deepEqual(await resolver.ask('www.example.com', 'A'), {
          rcode: 'SERVFAIL',
          isSecure: false,
          answers: [],
        })
        const unchecked = await resolver.ask('www.example.com', 'A', '+cd')
        assert.deepEqual([unchecked.rcode, unchecked.isSecure], ['NOERROR', false])
        assert.ok(unchecked.answers.some((answer) => answer.endsWith('192.0.2.66')))
        assert.equal((await resolver.ask('svc.example.com', 'HTTPS')).isSecure, true)
      }),
    )
  })

  test('say what a client wants to know, and no more', async () => {
    const world = await open({ alone: true })
    const place = await serveDns(world)
    await makeSigned(world)
    const asked = (name: string, type: string, flags: number) =>
      ask(place, name, type, { packet: { additionals: [optOf(1_232, { flags, flag_do: (flags & 0x8000) !== 0 })] } })
    const typesIn = ({ packet }: Told) =>
      [...packet.answers!, ...packet.authorities!].map(({ type }) => type as string).sort()
    // Without DO there is nothing of DNSSEC, but for what is asked for by its type.
    const plain = await ask(place, 'nothing.example.com', 'A')
    assert.deepEqual([plain.rcode, typesIn(plain)], ['NXDOMAIN', ['SOA']])
    assert.deepEqual(typesIn(await ask(place, 'example.com', 'DNSKEY')), ['DNSKEY'])
    assert.deepEqual(typesIn(await ask(place, 'insecure.example.com', 'A')), ['NS'])
    // Compact denial, with NXDOMAIN for who can tell (CO).
    const denied = await asked('nothing.example.com', 'A', 0x8000)
    assert.deepEqual([denied.rcode, typesIn(denied)], ['NOERROR', ['NSEC', 'RRSIG', 'RRSIG', 'SOA']])
    assert.equal((await asked('nothing.example.com', 'A', 0xc000)).rcode, 'NXDOMAIN')
    assert.equal((await asked('b.empty.example.com', 'A', 0xc000)).rcode, 'NOERROR')
    assert.equal((await asked('nothing.example.com', 'UNKNOWN_128', 0x8000)).rcode, 'FORMERR')
    // A referral says whether the child is signed.
    assert.deepEqual(typesIn(await asked('x.secure.example.com', 'A', 0x8000)), ['DS', 'NS', 'RRSIG'])
    assert.deepEqual(typesIn(await asked('x.insecure.example.com', 'A', 0x8000)), ['NS', 'NSEC', 'RRSIG'])
    // One small answer for what would be a large one.
    assert.deepEqual(typesIn(await asked('example.com', 'RRSIG', 0x8000)), ['RRSIG'])
    assert.deepEqual(typesIn(await asked('www.example.com', 'ANY', 0x8000)), ['A', 'A', 'RRSIG'])
    assert.deepEqual(typesIn(await asked('www.example.com', 'NSEC', 0x8000)), ['NSEC', 'RRSIG'])
    // What does not fit is fetched over TCP.
    const large = await asked('text.example.com', 'TXT', 0x8000)
    assert.deepEqual([large.isTruncated, typesIn(large)], [true, []])
  })

  test('are signed anew with each change, and before their signatures end', async () => {
    const world = await open({ alone: true })
    const place = await serveDns(world)
    await makeSigned(world)
    const endOf = async (name: string) => (await signaturesOf(place, name, 'A'))[0]!.expires
    const nowSeconds = () => world.clock.now() / 1_000
    const days = (some: number) => some * 86_400
    const first = await endOf('www.example.com')
    assert.ok(first > nowSeconds() + days(12) && first < nowSeconds() + days(15))
    assert.equal(await endOf('www.example.com'), first)
    world.clock.advance(1_000 * days(6))
    const second = await endOf('www.example.com')
    assert.ok(second > nowSeconds() + days(12))
    const { api } = world
    expect(await api.delete('/zones/example.com/rrsets/www/A'), 201)
    const [missed] = (await ask(place, 'www.example.com', 'A')).authorities
    assert.match(missed!, /SOA/)
    expect(await api.post('/zones/example.com/rrsets', rrset('www', 'A', '192.0.2.7')), 201)
    assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.7'])
    assert.ok((await endOf('www.example.com')) > nowSeconds() + days(12))
  })

  test('cannot be made for names without end: others are sent to TCP', async () => {
    const world = await open({ alone: true })
    const place = await serveDns(world, { signatures: 1 })
    await makeSigned(world)
    const flags = { packet: { additionals: [optOf(1_232, { flags: 0x8000, flag_do: true })] } }
    let answer: Told
    let index = 0
    do answer = await ask(place, `n${index++}.example.com`, 'A', flags)
    while (!answer.isTruncated)
    assert.deepEqual([answer.rcode, answer.authorities], ['NOERROR', []])
    const overTcp = await ask(place, `n${index}.example.com`, 'A', { ...flags, tcp: true })
    assert.equal(overTcp.packet.authorities!.length, 4)
    do answer = await ask(place, `n${index++}.example.com`, 'A', { ...flags, tcp: true })
    while (answer.rcode === 'NOERROR')
    assert.deepEqual([answer.rcode, answer.authorities], ['SERVFAIL', []])
    // What the zone has is answered in any case, and so is who wants no signatures.
    for (const name of ['www.example.com', 'a.b.empty.example.com', 'alias.example.com']) {
      assert.equal((await ask(place, name, 'A', flags)).isTruncated, false)
    }
    assert.equal((await ask(place, `n${index}.example.com`, 'A')).rcode, 'NXDOMAIN')
  })
})
