/** Faults of connections: the client gets no answer, half of one, or one in small pieces. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { makeZone } from '../../dns/zones.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { listen } from '../../stubs/event-stream.ts'
import { type FaultLab, injectedBy, openFaultLab } from './kit.ts'

interface Outcome {
  readonly status: number | undefined
  readonly bytes: number
  readonly pieces: number
  /** The code of the error with which it ended; undefined for a whole answer. */
  readonly error: string | undefined
}

/** Asks on a connection of its own, and tells how that ended. */
function outcomeOf({ world, api }: FaultLab, method: string, path: string, body?: object): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json', connection: 'close' }
    let [status, bytes, pieces]: [number | undefined, number, number] = [undefined, 0, 0]
    const end = (error?: NodeJS.ErrnoException) => resolve({ status, bytes, pieces, error: error?.code })
    const asked = request(`${world.baseUrl}${path}`, { method, headers }, (response) => {
      status = response.statusCode
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        pieces++
      })
      response.on('error', end)
      response.on('end', () => end())
    })
    asked.on('error', end)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Stops a cloud that would wait for a day for whoever keeps an answered connection open. */
function stopAtOnce({ world }: FaultLab): Promise<void> {
  world.app.edge.server.server.requestTimeout = 86_400_000
  return world.stop()
}

forEachDatabase('A fault of connections', (open) => {
  test('resets one before the effect, or after it', async () => {
    const lab = await openFaultLab(open)
    for (const moment of ['before_effect', 'after_effect'] as const)
      await lab.inject({
        name: moment,
        match: { operation: 'firewalls_create' },
        when: { first: 1 },
        fault: { reset: moment },
      })
    const outcomes = [
      await outcomeOf(lab, 'POST', '/firewalls', { name: 'one' }),
      await outcomeOf(lab, 'POST', '/firewalls', { name: 'two' }),
      await outcomeOf(lab, 'POST', '/firewalls', { name: 'three' }),
    ]
    assert.deepEqual(
      outcomes.map(({ status, error }) => [status, error]),
      [
        [undefined, 'ECONNRESET'],
        [undefined, 'ECONNRESET'],
        [201, undefined],
      ],
    )
    const { firewalls } = await done(lab.api.get('/firewalls'))
    assert.deepEqual(
      firewalls.map(({ name }: { name: string }) => name),
      ['two', 'three'],
    )
    assert.equal((await lab.rule('after_effect')).hits, 1)
  })

  test('cuts an answer in its body', async () => {
    const lab = await openFaultLab(open)
    await lab.inject({
      match: { operation: 'locations_list' },
      when: { first: 1 },
      fault: { truncate: { bytes: 100 } },
    })
    const cut = await outcomeOf(lab, 'GET', '/locations')
    assert.deepEqual([cut.status, cut.bytes, cut.error], [200, 100, 'ECONNRESET'])
    const whole = await outcomeOf(lab, 'GET', '/locations')
    assert.ok(whole.bytes > 100 && whole.error === undefined)
    await lab.inject({ match: { operation: 'locations_list' }, fault: { truncate: { bytes: 1_000_000 } } })
    const last = await outcomeOf(lab, 'GET', '/locations')
    assert.deepEqual([last.bytes, last.error], [whole.bytes - 1, 'ECONNRESET'])
    await lab.inject({ match: { operation: 'firewalls_remove' }, fault: { truncate: { bytes: 1 } } })
    const { firewall } = await done(lab.api.post('/firewalls', { name: 'gone' }))
    const { status, error } = await outcomeOf(lab, 'DELETE', `/firewalls/${firewall.id}`)
    assert.deepEqual([status, error], [undefined, 'ECONNRESET'])
    assert.equal((await lab.api.get(`/firewalls/${firewall.id}`)).status, 404)
  })

  test('lets an answer come in small pieces, and whole', async () => {
    const lab = await openFaultLab(open)
    const plain = await lab.api.get('/locations')
    await lab.inject({ name: 'drops', match: { method: 'GET' }, fault: { dribble: { bytes: 300, every: '1ms' } } })
    const slow = await lab.api.get('/locations')
    assert.equal(slow.text, plain.text)
    assert.equal(injectedBy(slow), 'drops')
    const { pieces, bytes } = await outcomeOf(lab, 'GET', '/locations')
    assert.ok(pieces > 1 && pieces <= Math.ceil(bytes / 300), `${pieces} pieces`)
  })

  test('spoils streams and uploads, too', async () => {
    const lab = await openFaultLab(open)
    await lab.inject({ match: { operation: 'events' }, when: { first: 1 }, fault: { reset: 'before_effect' } })
    await lab.inject({
      name: 'cut',
      match: { operation: 'events' },
      when: { first: 1 },
      fault: { truncate: { bytes: 9 } },
    })
    await lab.inject({ match: { operation: 'zones_importZonefile' }, fault: { reset: 'after_effect' } })
    const session = lab.world.signIn('member')
    await assert.rejects(listen(lab.world, session), { code: 'ECONNRESET' })
    const listener = await listen(lab.world, session)
    await listener.ended
    assert.deepEqual([listener.status, listener.headers['wolke-injected'], listener.told], [200, 'cut', []])
    assert.equal((await lab.rule('cut')).hits, 1)
    const zone = await makeZone(lab.world)
    const zonefile = `www 300 IN A 192.0.2.7\n; ${'x'.repeat(100_000)}\n`
    const { error } = await outcomeOf(lab, 'POST', `/zones/${zone}/actions/import_zonefile`, { zonefile })
    assert.equal(error, 'ECONNRESET')
    await lab.world.settle()
    assert.equal((await lab.api.get(`/zones/${zone}/rrsets/www/A`)).status, 200)
  })

  test('adds up: latencies, the smallest cut, the first dribble, and the first rule that answers', async () => {
    const lab = await openFaultLab(open)
    const { ask } = lab
    const big = { code: 'rate_limit_exceeded', message: 'x'.repeat(500) }
    const ways = {
      cut: { truncate: { bytes: 100 } },
      shorter: { truncate: { bytes: 40 } },
      drops: { dribble: { bytes: 10, every: '1ms' } },
      sips: { dribble: { bytes: 3, every: '1ms' } },
      late: { latency: { duration: '1ms' } },
      later: { latency: { duration: '1ms' } },
      refused: { error: big },
      down: { error: { code: 'unavailable' } },
      lost: { reset: 'after_effect' },
    }
    // Pieces may arrive together, but never as few as the other dribble, or none, would have sent.
    const dribbled = { drops: [1, 10], sips: [4, 14] } as const
    type Expected = Omit<Partial<Outcome>, 'pieces'> & { readonly pieces?: keyof typeof dribbled }
    const tries: readonly (readonly [rules: readonly (keyof typeof ways)[], outcome: Expected])[] = [
      [['cut', 'drops'], { status: 200, bytes: 100, pieces: 'drops', error: 'ECONNRESET' }],
      [['drops', 'cut'], { status: 200, bytes: 100, pieces: 'drops', error: 'ECONNRESET' }],
      [['drops', 'cut', 'shorter'], { bytes: 40, pieces: 'drops', error: 'ECONNRESET' }],
      [['shorter', 'cut', 'sips', 'drops'], { bytes: 40, pieces: 'sips', error: 'ECONNRESET' }],
      [['late', 'drops', 'later', 'cut', 'refused'], { status: 429, bytes: 100, pieces: 'drops', error: 'ECONNRESET' }],
      [['refused', 'cut', 'down'], { status: 429, error: undefined }],
      [['down', 'refused'], { status: 503, error: undefined }],
      [['late', 'cut', 'lost', 'down'], { status: undefined, bytes: 0, error: 'ECONNRESET' }],
    ]
    for (const [names, { pieces, ...outcome }] of tries) {
      const faults = names.map((name) => ({ name, match: { operation: 'locations_list' }, fault: ways[name] }))
      assert.equal((await ask('PUT', '/faults/scenario', { faults })).status, 200)
      const found: Partial<Outcome> = await outcomeOf(lab, 'GET', '/locations')
      const keys = Object.keys(outcome) as (keyof typeof outcome)[]
      assert.deepEqual(Object.fromEntries(keys.map((key) => [key, found[key]])), outcome, names.join())
      if (pieces) {
        const [fewer, most] = dribbled[pieces]
        assert.ok(found.pieces! > fewer && found.pieces! <= most, `${names}: ${found.pieces} pieces`)
      }
      const hit = []
      for (const name of names) if ((await lab.rule(name)).hits > 0) hit.push(name)
      const decisive = names.findIndex((name) => ['refused', 'down', 'lost'].includes(name))
      assert.deepEqual(hit, decisive === -1 ? names : names.slice(0, decisive + 1))
    }
  })

  test('lets an answer come whole at once when the cloud ends', async () => {
    const lab = await openFaultLab(open)
    const { api } = lab
    const rule = { direction: 'in', protocol: 'icmp', source_ips: ['192.0.2.0/24'], description: 'x'.repeat(255) }
    const rules = Array.from({ length: 50 }, (_, index) => ({ ...rule, source_ips: [`192.0.2.${index}/32`] }))
    for (let index = 0; index < 25; index++) await done(api.post('/firewalls', { name: `fw-${index}`, rules }))
    const plain = await api.get('/firewalls')
    assert.ok(plain.text.length > 400_000, `${plain.text.length}`)
    await lab.inject({ name: 'drip', match: { method: 'GET' }, fault: { dribble: { bytes: 1, every: '1d' } } })
    const waiting = api.get('/firewalls')
    while ((await lab.rule('drip')).hits === 0);
    await stopAtOnce(lab)
    assert.equal((await waiting).text, plain.text)
  })

  test('that takes long ends with the cloud, or when the client is gone', async () => {
    const lab = await openFaultLab(open)
    await lab.inject({ name: 'drip', match: { method: 'GET' }, fault: { dribble: { bytes: 1, every: '1d' } } })
    const waiting = lab.api.get('/locations')
    while ((await lab.rule('drip')).hits === 0);
    await stopAtOnce(lab)
    assert.equal((await waiting).status, 200)
  })
})
