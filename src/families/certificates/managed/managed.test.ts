import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forEachDatabase, testClock, type World, type WorldOptions } from '../../../../test/kit/harness.ts'
import { embeddedCa } from '../../../drivers/embedded-ca/authority.ts'
import { simulate } from '../../../families.ts'
import { DriverError, type Drivers } from '../../../kernel/actions/define.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { changeOwner } from '../../../kernel/mail/outbox.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { dayMs } from '../domain.ts'
import { replaceUses } from '../effects.ts'
import { findKeyPair } from '../reads.ts'

const managed = (name: string, ...domain_names: string[]) => ({ name, type: 'managed', domain_names })

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Body = any

async function makeZone({ api }: World, name: string, rrsets: object[] = []): Promise<string> {
  const { status, text } = await api.post('/zones', { name, mode: 'primary', rrsets })
  assert.equal(status, 201, text)
  return name
}

async function create({ api }: World, body: object): Promise<Body> {
  const answer = await api.post('/certificates', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

const show = async ({ api }: World, id: number): Promise<Body> =>
  (await api.get(`/certificates/${id}`)).body.certificate
const actionOf = async ({ api }: World, id: number): Promise<Body> => (await api.get(`/actions/${id}`)).body.action

/** Asks for a certificate and waits for what becomes of it. */
async function issue(world: World, name: string, ...domains: string[]): Promise<{ certificate: Body; action: Body }> {
  const { certificate, action } = await create(world, managed(name, ...domains))
  await world.settle()
  return { certificate: await show(world, certificate.id), action: await actionOf(world, action.id) }
}

async function scopeOf({ db }: World): Promise<ProjectScope> {
  const project = await acrossProjects(db.query)
    .selectFrom('project')
    .select('id')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  return { projectId: project.id }
}

const challenges = async ({ db }: World) => acrossProjects(db.query).selectFrom('zone_challenge').selectAll().execute()

/** An authority in memory in which some calls go otherwise. */
function authorityThat(calls: Partial<Drivers['authority']>, clock = testClock()): WorldOptions {
  return { clock, drivers: { authority: { ...simulate({ delayMs: 0, clock }).drivers.authority, ...calls } } }
}

forEachDatabase('Managed certificates', (open) => {
  test('one is pending, then issued for what was asked, with a key that only who needs it gets', async () => {
    const world = await open({ runActions: false })
    const zone = await makeZone(world, 'one.example')
    const domains = [zone, `*.${zone}`, `a.b.${zone}`]
    const { certificate, action } = await create(world, { ...managed('web', ...domains), labels: { env: 'prod' } })
    assert.deepEqual(
      [action.command, action.status, action.resources],
      ['create_certificate', 'running', [{ id: certificate.id, type: 'certificate' }]],
    )
    const pending = { issuance: 'pending', renewal: 'unavailable', error: null }
    const nothing = { certificate: null, fingerprint: null, not_valid_before: null, not_valid_after: null }
    assert.deepEqual(certificate, {
      ...certificate,
      ...nothing,
      status: pending,
      domain_names: domains,
      type: 'managed',
    })
    await world.settle()
    const issued = await show(world, certificate.id)
    assert.deepEqual(issued.status, { issuance: 'completed', renewal: 'unavailable', error: null })
    assert.deepEqual([issued.domain_names, issued.labels], [domains, { env: 'prod' }])
    const leaf = new X509Certificate(issued.certificate)
    assert.equal(leaf.fingerprint256, issued.fingerprint)
    assert.equal(Date.parse(leaf.validTo), Date.parse(issued.not_valid_after))
    for (const name of [zone, `www.${zone}`, `a.b.${zone}`])
      assert.equal(leaf.checkHost(name) === undefined, false, name)
    const pair = await findKeyPair(world.db.query, world.secrets, await scopeOf(world), certificate.id)
    assert.ok(pair)
    assert.ok(new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.privateKey)))
    assert.deepEqual(await challenges(world), [])
    assert.equal((await world.api.get(`/certificates/${certificate.id}/actions`)).body.actions.length, 1)
    await checkConsistency(world)
  })

  test('what cannot be asked for is refused with the fields that are wrong', async () => {
    const world = await open()
    const cases: [object, Record<string, string>][] = [
      [{}, { domain_names: 'is required' }],
      [{ domain_names: [] }, { domain_names: 'is required' }],
      [
        { domain_names: ['a.example', '*.a.example', 'WWW.a.example'] },
        { 'domain_names[2]': 'is covered by *.a.example already' },
      ],
      [{ domain_names: ['a.example'], certificate: 'x' }, { certificate: 'is for uploaded certificates only' }],
      [
        { domain_names: Array.from({ length: 101 }, (_, index) => `${index}.a.example`) },
        { domain_names: 'a certificate cannot have more than 100 domain names' },
      ],
    ]
    for (const wrong of [
      '',
      'a',
      'a.example.',
      '*.*.a.example',
      'a_b.example',
      'ä.example',
      '\u212aay.example',
      '192.0.2.1',
      `${'a'.repeat(64)}.example`,
    ]) {
      const message = 'must be a domain name without a trailing dot, or one after *.; write an IDN in punycode'
      cases.push([{ domain_names: ['fine.example', wrong] }, { 'domain_names[1]': message }])
    }
    for (const [given, says] of cases) {
      const { status, body, text } = await world.api.post('/certificates', { name: 'x', type: 'managed', ...given })
      assert.deepEqual([status, body.error.code], [422, 'invalid_input'], text)
      const fields = Object.entries(says).map(([name, message]) => ({ name, messages: [message] }))
      assert.deepEqual(body.error.details.fields, fields)
    }
    assert.deepEqual((await world.api.get('/certificates')).body.certificates, [])
  })

  test('names in capitals are taken for what they mean, each once', async () => {
    const world = await open()
    await makeZone(world, 'capital.example')
    const { certificate } = await issue(world, 'c', 'WWW.Capital.Example', 'www.capital.example')
    assert.deepEqual([certificate.domain_names, certificate.status.issuance], [['www.capital.example'], 'completed'])
  })

  test('what stands in the way is the error of the action and of the status; without it a retry issues', async () => {
    const world = await open()
    const { certificate, action } = await issue(world, 'lost', 'www.lost.example')
    const error = { code: 'dns_zone_not_found', message: 'the Project has no DNS zone for www.lost.example' }
    assert.deepEqual([action.status, action.error], ['error', error])
    assert.deepEqual(certificate.status, { issuance: 'failed', renewal: 'unavailable', error })
    await makeZone(world, 'lost.example')
    const retried = await world.api.post(`/certificates/${certificate.id}/actions/retry`)
    assert.deepEqual([retried.status, retried.body.action.command], [201, 'issue_certificate'])
    await world.settle()
    const { status } = await show(world, certificate.id)
    assert.deepEqual(status, { issuance: 'completed', renewal: 'unavailable', error: null })
    const again = await world.api.post(`/certificates/${certificate.id}/actions/retry`)
    assert.deepEqual(
      [again.status, again.body.error.code, again.body.error.message],
      [422, 'unsupported_error', 'certificate not retryable'],
    )
  })

  test('a zone that is transferred from elsewhere, or that another Project has, is not enough', async () => {
    const world = await open()
    const primary_nameservers = [{ address: '203.0.113.1' }]
    const secondary = { name: 'second.example', mode: 'secondary', primary_nameservers }
    assert.equal((await world.api.post('/zones', secondary)).status, 201)
    assert.equal((await world.foreign.post('/zones', { name: 'theirs.example', mode: 'primary' })).status, 201)
    const { action } = await issue(world, 's', 'www.second.example')
    assert.equal(action.error.code, 'dns_zone_is_secondary_zone')
    assert.equal((await issue(world, 't', 'www.theirs.example')).action.error.code, 'dns_zone_not_found')
  })

  test('CAA records decide who may issue, for wildcards by themselves, the nearest ones alone', async () => {
    const world = await open()
    const caa = (name: string, ...values: string[]) => ({
      name,
      type: 'CAA',
      records: values.map((value) => ({ value })),
    })
    await makeZone(world, 'caa.example', [
      caa('@', '0 issue "other.example"', '0 iodef "mailto:caa@caa.example"'),
      caa('ours', '0 issue "other.example"', '0 issue "CA.example; validationmethods=dns-01"'),
      caa('nobody', '0 issue ";"'),
      caa('wild', '0 issue "ca.example"', '0 issuewild "other.example"'),
      caa('tame', '0 issue "other.example"', '0 issuewild "ca.example"'),
      caa('silent', '0 iodef "mailto:caa@caa.example"'),
      caa('strange', '128 unheardof "x"'),
    ])
    const expected: [string, boolean][] = [
      ['caa.example', false],
      ['www.caa.example', false],
      ['ours.caa.example', true],
      ['below.ours.caa.example', true],
      ['*.ours.caa.example', true],
      ['nobody.caa.example', false],
      ['wild.caa.example', true],
      ['*.wild.caa.example', false],
      ['tame.caa.example', false],
      ['*.tame.caa.example', true],
      ['silent.caa.example', true],
      ['strange.caa.example', false],
    ]
    for (const [domain, allowed] of expected) {
      const { action } = await issue(world, domain, domain)
      assert.equal(action.error?.code, allowed ? undefined : 'caa_record_does_not_allow_ca', domain)
    }
  })

  test('a zone that the DNS does not lead to us stands in the way', async () => {
    const delegation = {
      isDelegated: async (zone: string) => zone !== 'far.example',
      awaitChallenge: async () => undefined,
    }
    const world = await open({ drivers: { delegation } })
    await makeZone(world, 'far.example')
    await makeZone(world, 'near.example')
    const { action } = await issue(world, 'far', 'near.example', 'far.example')
    assert.equal(action.error.code, 'could_not_verify_domain_delegated_to_zone')
    assert.equal((await issue(world, 'near', 'near.example')).action.status, 'success')
  })

  test('challenges are in DNS from the order until the end, also when the certificate or its zone goes meanwhile', async () => {
    let met: Body
    let meanwhile = async (_id: number): Promise<unknown> => undefined
    const validate: Drivers['authority']['validate'] = async ({ certificateId }) => {
      met = await challenges(world)
      await meanwhile(certificateId)
    }
    const world: World = await open(authorityThat({ validate }))
    const zone = await makeZone(world, 'gone.example')
    const run = async () => {
      const started = await create(world, managed('gone', zone, `*.${zone}`))
      await world.settle()
      assert.equal(met.length, 2)
      assert.deepEqual(await challenges(world), [])
      return { id: started.certificate.id, action: await actionOf(world, started.action.id) }
    }
    meanwhile = (id) => world.api.delete(`/certificates/${id}`)
    const { id, action } = await run()
    assert.equal(action.error.message, 'the certificate, or a zone that it needs, was deleted')
    assert.equal((await world.api.get(`/certificates/${id}`)).status, 404)
    meanwhile = () => world.api.delete(`/zones/${zone}`)
    assert.equal((await run()).action.status, 'success')
    await checkConsistency(world)
  })

  test('what an authority gives is used only when it is for these domains and this key', async () => {
    let chain = 'nonsense'
    const [world, other] = [await open(authorityThat({ issue: async () => chain })), await open()]
    for (const one of [world, other]) await makeZone(one, 'wrong.example')
    const unusable = 'the certificate authority gave a certificate that cannot be used'
    assert.equal((await issue(world, 'nonsense', 'wrong.example')).action.error.message, unusable)
    chain = (await issue(other, 'other', 'other.wrong.example')).certificate.certificate
    assert.equal((await issue(world, 'other', 'wrong.example')).action.error.message, unusable)
  })
})

forEachDatabase('The embedded authority', (open, engineName) => {
  /** A world whose authority keeps its root in the database of the world, as the server's does. */
  const embedded = async () => {
    const clock = testClock()
    const keep = (make: () => Promise<string>) => world.secrets.ofInstallation(world.db, 'embedded-ca', make)
    const authority = embeddedCa({ clock, identity: 'wolke.example', keep })
    const world: World = await open({ clock, drivers: { authority } })
    return world
  }

  test('has a root that anybody can download, that stays the same, and that its certificates lead to', async () => {
    const world = await embedded()
    const { status, text, headers } = await world.anonymous.get('/ca.pem')
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/x-pem-file'])
    const root = new X509Certificate(text)
    assert.ok(root.ca && root.verify(root.publicKey))
    await makeZone(world, 'embedded.example')
    const { certificate } = await issue(world, 'e', 'embedded.example', '*.embedded.example')
    const leaf = new X509Certificate(certificate.certificate)
    assert.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && !leaf.ca)
    const { db, clock, secrets } = world
    const keep = () => secrets.ofInstallation(db, 'embedded-ca', () => assert.fail('a second root was made'))
    assert.equal(await embeddedCa({ clock, identity: 'x', keep }).root!(), text)
    const [kept] = await acrossProjects(db.query).selectFrom('installation_secret').selectAll().execute()
    assert.ok(!kept!.sealed.includes('BEGIN'))
  })

  // What a period is does not depend on the database, and PostgreSQL takes longer for each of hundreds of days.
  const [days, chainsMade] = engineName === 'sqlite' ? [400, 7] : [70, 2]
  test('each certificate is valid at every moment and renewed once in each period', async () => {
    const world = await embedded()
    await makeZone(world, 'long.example')
    const ids: number[] = []
    for (let i = 0; i < 3; i++) ids.push((await issue(world, `long-${i}`, `${i}.long.example`)).certificate.id)
    const scope = await scopeOf(world)
    await world.db.transact((tx) => replaceUses(tx, scope, { type: 'load_balancer', id: 1 }, [ids[0]!]))
    const issued = new Map(ids.map((id) => [id, new Set<string>()]))
    const states = new Set<string>()
    for (let day = 0; day <= days; day++, world.clock.advance(dayMs)) {
      await world.app.jobs.run()
      await world.settle()
      for (const { id, status, certificate, not_valid_before, not_valid_after } of (
        await world.api.get('/certificates')
      ).body.certificates) {
        const now = world.clock.now()
        assert.ok(Date.parse(not_valid_before) <= now && now + 20 * dayMs < Date.parse(not_valid_after))
        issued.get(id)!.add(certificate)
        states.add(status.renewal)
      }
    }
    // Of 90 days, 60 to 63 and what is between two looks.
    for (const chains of issued.values()) assert.equal(chains.size, chainsMade)
    const keys = [...issued.values()].flatMap((chains) => [...chains].map((chain) => publicKeyOf(chain)))
    assert.equal(new Set(keys).size, keys.length)
    assert.deepEqual([...states].sort(), ['scheduled', 'unavailable'])
    assert.deepEqual((await show(world, ids[0]!)).used_by, [{ id: 1, type: 'load_balancer' }])
    const moments = await acrossProjects(world.db.query).selectFrom('certificate').select('renew_at').execute()
    assert.equal(new Set(moments.map((row) => row.renew_at)).size, 3, 'they are spread')
    await checkConsistency(world)
  })
})

const publicKeyOf = (chain: string) => String(new X509Certificate(chain).publicKey.export({ format: 'jwk' }).x)

forEachDatabase('Renewal', (open) => {
  /** Runs the background jobs, and the actions that they start, so many days later. */
  const after = async (world: World, days: number) => {
    world.clock.advance(days * dayMs)
    await world.app.jobs.run()
    await world.settle()
  }

  test('that fails leaves the certificate in use, tells the owner, and is tried again later and on request', async () => {
    let refuses = false
    const { order: really } = simulate({ delayMs: 0 }).drivers.authority
    const order: Drivers['authority']['order'] = (request) => {
      if (!refuses) return really(request)
      throw new DriverError('too many', { transient: false, code: 'ca_too_many_duplicate_certificates' })
    }
    const world = await open(authorityThat({ order }))
    const scope = await scopeOf(world)
    await world.db.transact((tx) => changeOwner(tx, scope, 'owner@example.org'))
    await makeZone(world, 'fails.example')
    const { certificate } = await issue(world, 'f', 'fails.example')
    refuses = true
    await after(world, 64)
    const error = { code: 'ca_too_many_duplicate_certificates', message: 'too many' }
    const failed = await show(world, certificate.id)
    assert.deepEqual(failed, { ...certificate, status: { issuance: 'completed', renewal: 'failed', error } })
    const mail = () => acrossProjects(world.db.query).selectFrom('mail').selectAll().execute()
    assert.equal((await mail()).length, 1)
    const actions = async () => (await world.api.get(`/certificates/${certificate.id}/actions`)).body.actions.length
    assert.equal(await actions(), 2)
    await after(world, 1 / 48)
    assert.equal(await actions(), 2, 'not before an hour has passed')
    await after(world, 1 / 24)
    assert.equal(await actions(), 3)
    assert.equal((await mail()).length, 2)
    refuses = false
    assert.equal((await world.api.post(`/certificates/${certificate.id}/actions/retry`)).status, 201)
    assert.equal((await world.api.post(`/certificates/${certificate.id}/actions/retry`)).status, 422)
    await world.settle()
    const renewed = await show(world, certificate.id)
    assert.deepEqual(renewed.status, { issuance: 'completed', renewal: 'unavailable', error: null })
    assert.notEqual(renewed.fingerprint, certificate.fingerprint)
    assert.ok(renewed.not_valid_after > certificate.not_valid_after)
    await after(world, 10)
    assert.equal(await actions(), 4)
  })

  test('begins when the authority suggests it, and without its answer as usual', async () => {
    const answers: (() => { start: number; end: number; askAgainAfterMs: number } | undefined)[] = []
    const renewalHint = async () => answers.shift()?.()
    const world = await open(authorityThat({ renewalHint }))
    await makeZone(world, 'hint.example')
    const { certificate } = await issue(world, 'h', 'hint.example')
    const start = world.clock.now() + 10 * dayMs
    answers.push(
      () => assert.fail('it does not answer'),
      () => ({ start, end: start + dayMs, askAgainAfterMs: dayMs }),
    )
    await after(world, 0)
    await after(world, 1)
    assert.deepEqual(answers, [])
    await after(world, 8)
    assert.equal((await show(world, certificate.id)).status.renewal, 'unavailable')
    await after(world, 2.1)
    const renewed = await show(world, certificate.id)
    assert.notEqual(renewed.fingerprint, certificate.fingerprint)
  })

  test('is neither put off beyond five sixths of the lifetime nor begun all the time, whatever the authority suggests', async () => {
    const windows = [
      { start: 0, end: 1 },
      { start: Date.parse('2100-01-01'), end: Date.parse('2100-01-02') },
    ]
    for (const window of windows) {
      const renewalHint = async () => ({ ...window, askAgainAfterMs: dayMs })
      const world = await open(authorityThat({ renewalHint }))
      await makeZone(world, 'strange.example')
      const { certificate } = await issue(world, 's', 'strange.example')
      const renewals = async () =>
        (await world.api.get(`/certificates/${certificate.id}/actions`)).body.actions.length - 1
      for (let day = 0; day < 9; day += 0.1) await after(world, 0.1)
      assert.equal(await renewals(), window.start === 0 ? 9 : 0)
      if (window.start === 0) continue
      await after(world, 60)
      assert.equal(await renewals(), 0)
      await after(world, 7)
      assert.equal(await renewals(), 1)
    }
  })

  test('of one certificate is started once, however many processes look at the clock', async () => {
    const world = await open()
    await makeZone(world, 'once.example')
    const { certificate } = await issue(world, 'o', 'once.example')
    const rival =
      world.engineName === 'postgres'
        ? await open({ database: world.database, clock: world.clock, simulation: world.simulation })
        : world
    world.clock.advance(70 * dayMs)
    await Promise.all([world.app.jobs.run(), rival.app.jobs.run()])
    await world.settle()
    await rival.settle()
    assert.equal((await world.api.get(`/certificates/${certificate.id}/actions`)).body.actions.length, 2)
  })
})
