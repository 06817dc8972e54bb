/** Keys of signed zones change by the clock and by what the parent has, and a validator finds the zone secure all the time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ZonesDriver } from '../../../src/families/zones/driver.ts'
import { signingsSeen } from '../../../src/families/zones/signing/states.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import { skipWithout } from '../../clients/kit/clients.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { expect } from '../../kit/resources.ts'
import { ask, type Place, serveDns } from '../client.ts'
import { goingClock } from '../going-clock.ts'
import { makeZone } from '../zones.ts'
import { contents, dnssec, keysOf, makeSigned, missingPrograms, shown, signaturesOf, withUnbound } from './kit.ts'

const missing = missingPrograms()
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const parentTtlMs = 2 * hourMs

/** A parent that has some DS records. */
class Parent {
  records: readonly string[] = []

  readonly driver: ZonesDriver = {
    dsOf: async () => {
      const ds = this.records.map((text) => {
        const [tag, algorithm, digest, hex] = text.split(' ')
        const head = Buffer.of(0, 0, Number(algorithm), Number(digest))
        head.writeUInt16BE(Number(tag), 0)
        return Buffer.concat([head, Buffer.from(hex!, 'hex')])
      })
      return { ds, ttlMs: ds.length > 0 ? parentTtlMs : undefined }
    },
  }
}

/**
 * Signatures of what is in the zone, so far: the tag of the key, and the end in seconds. Those of keys are by all of them, so that no
 * one is needed.
 */
class Remembered {
  readonly #signatures: { readonly tag: number; readonly expires: number }[] = []

  async take(place: Place): Promise<void> {
    for (const [name, type] of [
      ['www.example.com', 'A'],
      ['example.com', 'SOA'],
      ['nothing.example.com', 'A'],
    ] as const)
      this.#signatures.push(...(await signaturesOf(place, name, type)))
  }

  /** The tags of keys that somebody may still need for a signature that he keeps. */
  neededAt(nowMs: number): Set<number> {
    return new Set(this.#signatures.filter(({ expires }) => 1_000 * expires > nowMs).map(({ tag }) => tag))
  }
}

const questions = [
  ['www.example.com', 'A'],
  ['nothing.example.com', 'A'],
  ['x.wild.example.com', 'TXT'],
  ['example.com', 'CDS'],
] as const

/** Whether a validator finds answers secure that begins with nothing but a DS record. */
async function isSecure(world: World, place: Place, ds: string): Promise<boolean> {
  return withUnbound(place, [`DS ${ds}`], world.clock.now(), async (resolver) => {
    const answers = await Promise.all(questions.map(([name, type]) => resolver.ask(name, type)))
    const secure = answers.filter(({ isSecure }) => isSecure).length
    assert.ok(secure === 0 || secure === questions.length, JSON.stringify(answers))
    if (secure === 0) assert.ok(answers.every(({ rcode }) => rcode === 'SERVFAIL'))
    return secure > 0
  })
}

forEachDatabase('The keys of signed zones', (open) => {
  const start = async () => {
    const parent = new Parent()
    const world = await open({ alone: true, clock: goingClock(), drivers: { zones: parent.driver } })
    const place = await serveDns(world)
    const after = async (ms: number) => {
      world.clock.advance(ms)
      await world.app.jobs.run()
      return (await shown(world)).step as string
    }
    return { world, place, parent, after }
  }

  test('roll, and no validator that keeps something old ever finds the zone bogus', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const { world, place, parent, after } = await start()
    await makeSigned(world)
    const remembered = new Remembered()
    const check = async (...secureFrom: readonly string[]) => {
      await remembered.take(place)
      const tags = new Set((await shown(world)).keys.map(({ tag }: { tag: number }) => tag))
      for (const tag of remembered.neededAt(world.clock.now())) assert.ok(tags.has(tag), `${tag} is still needed`)
      for (const ds of secureFrom) assert.ok(await isSecure(world, place, ds), ds)
    }
    assert.equal((await shown(world)).ds, null)
    assert.equal(await after(hourMs + 1), 'signed')
    const old = (await shown(world)).ds
    parent.records = [old]
    await check(old)

    await dnssec(world, 'roll', 'example.com')
    assert.equal(await after(0), 'introducing')
    assert.equal((await keysOf(place)).length, 2)
    assert.equal((await shown(world)).ds, old)
    // A server that has just started has the same keys.
    const another = await serveDns(world)
    assert.deepEqual((await keysOf(another)).sort(), (await keysOf(place)).sort())
    assert.ok(await isSecure(world, another, old))
    await check(old)
    assert.equal(await after(24 * hourMs), 'introducing')
    await check(old)
    assert.equal(await after(hourMs + 1), 'submitting')
    const next = (await shown(world)).ds
    assert.notEqual(next, old)
    await check(old, next)

    // Without the parent it goes on for ever.
    assert.equal(await after(60 * dayMs), 'submitting')
    await check(old, next)
    // Both are not enough: who has the old one needs the old key.
    parent.records = [old, next]
    assert.equal(await after(hourMs), 'submitting')
    assert.equal(await after(dayMs), 'submitting')
    parent.records = [next]
    assert.equal(await after(hourMs), 'submitting')
    await check(old, next)
    assert.equal(await after(parentTtlMs + 1), 'signed')
    assert.equal((await keysOf(place)).length, 1)
    await check(next)
    assert.equal(await isSecure(world, place, old), false)
  })

  test('stay until all that the old one signed is over, however soon the parent is', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const { world, place, parent, after } = await start()
    await makeSigned(world)
    await after(hourMs + 1)
    parent.records = [(await shown(world)).ds]
    await dnssec(world, 'roll', 'example.com')
    await after(0)
    const remembered = new Remembered()
    await remembered.take(place)
    assert.equal(await after(25 * hourMs + 1), 'submitting')
    parent.records = [(await shown(world)).ds]
    const switched = world.clock.now()
    for (let step = ''; step !== 'signed'; step = await after(6 * hourMs)) {
      assert.ok(world.clock.now() < switched + 20 * dayMs)
      const tags = (await shown(world)).keys.map(({ tag }: { tag: number }) => tag)
      for (const tag of remembered.neededAt(world.clock.now())) assert.ok(tags.includes(tag))
    }
    assert.deepEqual([...remembered.neededAt(world.clock.now())], [])
  })

  test('go on by the word of an operator where parents are not asked', async () => {
    const world = await open({ alone: true, clock: goingClock() })
    await makeSigned(world, contents)
    const after = async (ms: number) => {
      world.clock.advance(ms)
      await world.app.jobs.run()
    }
    await after(hourMs + 1)
    await dnssec(world, 'roll', 'example.com')
    await after(0)
    await after(26 * hourMs)
    await after(60 * dayMs)
    assert.equal((await shown(world)).step, 'submitting')
    assert.match(await dnssec(world, 'submitted', 'example.com'), /goes on/)
    await after(0)
    assert.equal((await shown(world)).step, 'submitting')
    await after(2 * dayMs + 1)
    assert.equal((await shown(world)).step, 'signed')
  })

  test('roll by themselves at the age that the operator has set, where the parent can be seen to follow', async () => {
    const parent = new Parent()
    const keyLifetimeMs = 90 * dayMs
    const world = await open({
      ...{
        alone: true,
        clock: goingClock(),
        drivers: { zones: parent.driver },
        settings: { zones: { keyLifetimeMs } },
      },
    })
    const after = async (ms: number) => {
      world.clock.advance(ms)
      await world.app.jobs.run()
      return (await shown(world)).step as string
    }
    await makeSigned(world)
    assert.equal(await after(hourMs + 1), 'signed')
    const first = (await shown(world)).ds
    parent.records = [`1 13 2 ${'ab'.repeat(32)}`]
    assert.equal(await after(100 * dayMs), 'signed')
    parent.records = [first]
    assert.equal(await after(hourMs), 'introducing')
    assert.equal(await after(26 * hourMs), 'submitting')
    const second = (await shown(world)).ds
    parent.records = [second]
    for (let step = ''; step !== 'signed'; step = await after(dayMs));
    assert.equal((await shown(world)).ds, second)
    assert.notEqual(second, first)
    // The age is that of the key, not of the step.
    assert.equal(await after(60 * dayMs), 'signed')
    assert.equal(await after(20 * dayMs), 'introducing')
  })

  test('are given up once the parent has no DS record and nobody remembers one', async (t) => {
    if (missing.length > 0) return skipWithout(t, `${missing.join(', ')} are not installed`)
    const { world, place, parent, after } = await start()
    await makeSigned(world)
    await after(hourMs + 1)
    const { ds } = await shown(world)
    parent.records = [ds]
    assert.match(await dnssec(world, 'disable', 'example.com'), /repeat it with --yes/)
    await dnssec(world, 'disable', 'example.com', '--yes')
    assert.equal(await after(30 * dayMs), 'leaving')
    assert.ok(await isSecure(world, place, ds))
    parent.records = []
    assert.equal(await after(hourMs), 'leaving')
    world.clock.advance(2 * dayMs + 1)
    await world.app.jobs.run()
    assert.equal(await dnssec(world, 'show', 'example.com'), 'example.com is not signed')
    assert.deepEqual((await ask(place, 'example.com', 'DNSKEY')).answers, [])
    assert.equal((await ask(place, 'nothing.example.com', 'A', { edns: 1_232 })).rcode, 'NXDOMAIN')
  })

  test('are missed by the doctor where the parent has no DS record of them, or another one', async () => {
    const { world, parent, after } = await start()
    const seen = async () =>
      (await signingsSeen(world.db.query)).map(({ verdict, seen: words }) => `${verdict}: ${words}`)
    assert.deepEqual(await seen(), [])
    await makeSigned(world)
    assert.deepEqual(await seen(), ['ok: 1 signed zone with the DS records they need'])
    await after(hourMs + 1)
    await after(hourMs)
    assert.deepEqual(await seen(), ['warning: is signed, and its parent has no DS record of it'])
    parent.records = [`1 13 2 ${'ab'.repeat(32)}`]
    await after(hourMs)
    assert.deepEqual(await seen(), ['failure: the DS records of its parent lead to none of its keys'])
    parent.records = [(await shown(world)).ds]
    await after(hourMs)
    assert.deepEqual(await seen(), ['ok: 1 signed zone with the DS records they need'])
  })

  test('are deleted with their zone', async () => {
    const { world } = await start()
    await makeSigned(world)
    expect(await world.api.delete('/zones/example.com'), 201)
    await world.app.jobs.run()
    assert.equal(await dnssec(world, 'list'), '')
    assert.deepEqual(await acrossProjects(world.db.query).selectFrom('zone_key').selectAll().execute(), [])
  })

  test('are asked for in words that say what is wrong', async () => {
    const { world, after } = await start()
    assert.equal(await dnssec(world, 'enable', 'example.com'), 'there is no zone example.com')
    const primary_nameservers = [{ address: '192.0.2.1' }]
    await makeZone(world, [], { mode: 'secondary', rrsets: undefined, primary_nameservers, name: 'copy.example' })
    assert.match(await dnssec(world, 'enable', 'copy.example'), /is a secondary zone/)
    await makeZone(world, contents)
    assert.equal(await dnssec(world, 'roll', 'example.com'), 'example.com is not signed')
    await dnssec(world, 'enable', 'example.com')
    assert.equal(await dnssec(world, 'enable', 'example.com'), 'example.com is signed already')
    await after(0)
    assert.match(await dnssec(world, 'roll', 'example.com'), /is at the step signing; this needs signed/)
    assert.match(await dnssec(world, 'submitted', 'example.com'), /this needs submitting or leaving/)
    assert.match(await dnssec(world, 'list'), /^example\.com\tsigning\t/)
    assert.match(await dnssec(world, 'show', 'example.com'), /its parent is to have no DS record/)
  })
})
