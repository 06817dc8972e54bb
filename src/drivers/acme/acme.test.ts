import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { certificate } from '../../../test/fixtures/tls.ts'
import { testClock } from '../../../test/kit/harness.ts'
import { type AcmeStub, problem, type StubAnswer, startAcmeStub } from '../../../test/stubs/acme-stub.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { openOutbound } from '../../protocols/acme/outbound.ts'
import { makePrivateKey, makeRequest } from '../../protocols/net/x509-requests.ts'
import { embeddedCa } from '../embedded-ca/authority.ts'
import { openAcme } from './authority.ts'

const domains = ['www.stub.example']
const wanted = { certificateId: 1, domains, replaces: null }

/** The DriverError of a call that must fail. */
async function failureOf(call: Promise<unknown>): Promise<DriverError> {
  const error = await call.then(
    () => assert.fail('it went well'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DriverError, String(error))
  assert.ok(!error.message.includes('secret'), 'the words of the authority are shown')
  return error
}

describe('An ACME authority', () => {
  let stub: AcmeStub
  beforeEach(async () => {
    stub = await startAcmeStub()
  })
  afterEach(() => stub.close())

  let key: string | undefined
  const open = (
    more: {
      allowPrivate?: boolean
      timeoutMs?: number
      patienceMs?: number
      directory?: string
      nonceAttempts?: number
    } = {},
  ) =>
    openAcme({
      directory: stub.directory,
      contact: 'operator@example.com',
      binding: undefined,
      allowPrivate: true,
      ca: certificate,
      keep: async (make) => {
        key ??= await make()
        return key
      },
      ...more,
    })
  const order = () => ({ certificateId: 1, domains, url: `${stub.url}/order` })

  test('that refuses an order says why in the words of the API', async () => {
    const failedSet = 'too many certificates (5) already issued for this exact set of identifiers in the last 168h'
    const issued = 'too many certificates (50) already issued for "stub.example" in the last 168h'
    const cases: [StubAnswer, string, boolean][] = [
      [problem(429, 'rateLimited', failedSet), 'ca_too_many_duplicate_certificates', false],
      [problem(429, 'rateLimited', issued), 'ca_too_many_certificates_issued_for_registered_domain', false],
      [
        problem(429, 'rateLimited', 'too many failed authorizations (5) for "www.stub.example" in the last 1h'),
        'ca_too_many_authorizations_failed_recently',
        false,
      ],
      [problem(429, 'rateLimited', 'too many new orders (300) from this account'), 'action_failed', false],
      [problem(403, 'caa'), 'caa_record_does_not_allow_ca', false],
      [problem(400, 'rejectedIdentifier'), 'action_failed', false],
      [problem(403, 'unauthorized'), 'action_failed', false],
      [problem(500, 'serverInternal'), 'action_failed', true],
      [{ status: 503, body: '<html>secret</html>' }, 'action_failed', true],
    ]
    for (const [answer, code, transient] of cases) {
      stub.say('/new-order', () => answer)
      const failure = await failureOf(open().order(wanted))
      assert.deepEqual([failure.code, failure.transient], [code, transient], JSON.stringify(answer))
    }
  })

  test('that is not satisfied with a challenge, or with CAA, says so', async () => {
    const failing = (error: object) => ({
      body: { status: 'invalid', challenges: [{ type: 'dns-01', status: 'invalid', url: 'x', error }] },
    })
    for (const type of ['dns', 'unauthorized', 'incorrectResponse', 'connection']) {
      stub.say('/authorization', () => failing({ type: `urn:ietf:params:acme:error:${type}`, detail: 'secret' }))
      assert.equal((await failureOf(open().validate(order()))).code, 'ca_dns_validation_failed')
    }
    stub.say('/authorization', () => failing({ type: 'urn:ietf:params:acme:error:caa' }))
    assert.equal((await failureOf(open().validate(order()))).code, 'caa_record_does_not_allow_ca')
    for (const [type, code] of [
      ['caa', 'caa_record_does_not_allow_ca'],
      ['unauthorized', 'ca_dns_validation_failed'],
    ]) {
      stub.say('/order', () => ({ body: { status: 'invalid', authorizations: [], error: { type: `a:${type}` } } }))
      assert.equal((await failureOf(open().issue(order(), Buffer.of(1)))).code, code)
    }
  })

  test('that knows the domains already is not challenged, and gives the chain of a finished order again', async () => {
    assert.deepEqual(await open().order(wanted), { url: `${stub.url}/order`, challenges: [] })
    assert.equal(await open().issue(order(), Buffer.of(1)), 'a chain')
    assert.ok(!stub.seen.some(({ path }) => path === '/finalize'))
  })

  test('that has gone on by itself since it was looked at is asked for nothing twice', async () => {
    // After a crash, the authority may process the first request between the look and the second request.
    const challenge = { type: 'dns-01', url: `${stub.url}/challenge`, status: 'pending', token: 'token' }
    const late = (path: string, states: readonly [string, string], more: object) => {
      let status = states[0]
      stub.say(path, () => ({ body: { status, ...more } }))
      return () => {
        status = states[1]
        return problem(400, 'malformed')
      }
    }
    stub.say('/challenge', late('/authorization', ['pending', 'valid'], { challenges: [challenge] }))
    await open().validate(order())
    const finished = {
      authorizations: [],
      finalize: `${stub.url}/finalize`,
      certificate: `${stub.url}/certificate`,
    }
    stub.say('/finalize', late('/order', ['ready', 'valid'], finished))
    assert.equal(await open().issue(order(), Buffer.of(1)), 'a chain')
    // A refusal counts when the order is still waiting.
    stub.say('/finalize', late('/order', ['ready', 'ready'], finished))
    assert.equal((await failureOf(open().issue(order(), Buffer.of(1)))).transient, false)
  })

  test('that has lost the account gets it anew', async () => {
    const authority = open()
    await authority.order(wanted)
    const usual = {
      body: { status: 'valid', authorizations: [], finalize: '', certificate: `${stub.url}/certificate` },
    }
    let forgotten = true
    stub.say('/order', () => (forgotten ? problem(400, 'accountDoesNotExist') : usual))
    stub.say('/account', () => {
      forgotten = false
      return { status: 201, headers: { location: `${stub.url}/account/2` } }
    })
    assert.equal(await authority.issue(order(), Buffer.of(1)), 'a chain')
  })

  test('is told which certificate is renewed, and is not when it does not want to know', async () => {
    const { newNonce, newAccount, newOrder } = Object.fromEntries(
      [
        ['newNonce', 'nonce'],
        ['newAccount', 'account'],
        ['newOrder', 'new-order'],
      ].map(([name, path]) => [name, `${stub.url}/${path}`]),
    )
    stub.say('/dir', () => ({ body: { newNonce, newAccount, newOrder, renewalInfo: `${stub.url}/renewal` } }))
    const chain = await someChain()
    const authority = open()
    await authority.order({ ...wanted, replaces: chain })
    const sent = () => stub.seen.filter(({ path }) => path === '/new-order').map(({ payload }) => payload.replaces)
    const [id] = sent()
    assert.match(id, /^[\w-]{27}\.[\w-]{22}$/)
    stub.say('/new-order', ({ replaces }) =>
      replaces
        ? problem(409, 'alreadyReplaced')
        : { headers: { location: `${stub.url}/order` }, body: { authorizations: [] } },
    )
    await authority.order({ ...wanted, replaces: chain })
    assert.deepEqual(sent(), [id, id, undefined])
    const suggestedWindow = { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00Z' }
    stub.say(`/renewal/${id}`, () => ({ headers: { 'retry-after': '3600' }, body: { suggestedWindow } }))
    assert.deepEqual(await authority.renewalHint!(chain), {
      start: Date.parse(suggestedWindow.start),
      end: Date.parse(suggestedWindow.end),
      askAgainAfterMs: 3_600_000,
    })
    stub.say(`/renewal/${id}`, () => ({ body: { suggestedWindow: { start: 'secret', end: null } } }))
    await failureOf(authority.renewalHint!(chain))
  })

  test('that talks nonsense fails the call and nothing else', async () => {
    const ways: [string, StubAnswer][] = [
      ['/dir', { body: 'secret' }],
      ['/dir', { body: '[]' }],
      ['/account', { status: 201 }],
      ['/new-order', { status: 201, headers: { location: 'secret:' }, body: 'null' }],
      ['/new-order', { status: 201, headers: { location: '/order' }, body: { authorizations: 'secret' } }],
      ['/new-order', { status: 201, headers: { location: '/order' }, body: { authorizations: Array(101).fill('x') } }],
    ]
    for (const [path, answer] of ways) {
      const own = await startAcmeStub()
      try {
        own.say(path, () => answer)
        await failureOf(open({ directory: own.directory }).order(wanted))
      } finally {
        await own.close()
      }
    }
    stub.say('/authorization', () => ({
      body: { status: 'pending', identifier: { value: 'other.example' }, challenges: [] },
    }))
    await failureOf(open().order(wanted))
  })

  test('that refuses every nonce is sent a message five times, or as often as the operator says', async () => {
    stub.say('/new-order', () => problem(400, 'badNonce'))
    const orders = () => stub.seen.filter(({ path }) => path === '/new-order').length
    assert.equal((await failureOf(open().order(wanted))).transient, true)
    assert.equal(orders(), 5)
    await failureOf(open({ nonceAttempts: 7 }).order(wanted))
    assert.equal(orders(), 12)
  })

  test('that never comes to an end is left, and asked again later', async () => {
    stub.say('/order', () => ({ headers: { 'retry-after': '86400' }, body: { status: 'processing' } }))
    assert.equal((await failureOf(open({ patienceMs: 1 }).issue(order(), Buffer.of(1)))).transient, true)
    stub.say('/order', () => ({ body: () => undefined }))
    assert.equal((await failureOf(open({ timeoutMs: 50 }).issue(order(), Buffer.of(1)))).transient, true)
  })

  test('that sends without end is cut off', async () => {
    stub.say('/dir', () => ({
      body: (write) => {
        for (let kib = 0; kib < 2_048; kib += 64) write('x'.repeat(65_536))
      },
    }))
    const outbound = openOutbound({ directory: stub.directory, allowPrivate: true, ca: certificate })
    const failure = await failureOf(outbound.send(stub.directory))
    assert.match(String(failure.cause), /bytes/)
  })
})

describe('Requests to an authority', () => {
  const canaries: { server: Server; port: number; visits: number }[] = []
  after(() => canaries.forEach(({ server }) => void server.close()))

  /** A server that must not receive any request. */
  async function canary() {
    const server = createServer((socket) => {
      bird.visits++
      socket.destroy()
    })
    const bird = { server, port: 0, visits: 0 }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    bird.port = (server.address() as { port: number }).port
    canaries.push(bird)
    return bird
  }

  test('go to the origin of its directory alone, and follow nobody elsewhere', async () => {
    const stub = await startAcmeStub()
    const bird = await canary()
    try {
      const outbound = openOutbound({ directory: stub.directory, allowPrivate: true, ca: certificate })
      const elsewhere = [
        `https://127.0.0.1:${bird.port}/`,
        `http://127.0.0.1:${bird.port}/`,
        `https://localhost:${bird.port}/`,
      ]
      for (const url of [...elsewhere, 'file:///etc/passwd', '/order', '', `${stub.url}@127.0.0.1:${bird.port}/`]) {
        assert.equal((await failureOf(outbound.send(url))).transient, false, url)
      }
      for (const location of elsewhere) {
        stub.say('/dir', () => ({ status: 302, headers: { location } }))
        await failureOf(outbound.send(stub.directory))
      }
      assert.equal(bird.visits, 0)
    } finally {
      await stub.close()
    }
  })

  test('go to no private address unless the operator allows it, by whatever name', async () => {
    const bird = await canary()
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '127.1']) {
      const directory = `https://${host}:${bird.port}/dir`
      await failureOf(openOutbound({ directory, allowPrivate: false, ca: undefined }).send(directory))
    }
    assert.equal(bird.visits, 0)
    const directory = `https://127.0.0.1:${bird.port}/dir`
    await failureOf(openOutbound({ directory, allowPrivate: true, ca: undefined }).send(directory))
    assert.equal(bird.visits, 1)
  })
})

async function someChain(): Promise<string> {
  const authority = embeddedCa({ clock: testClock(), identity: 'x', keep: (make) => make() })
  const { url } = await authority.order(wanted)
  return authority.issue({ certificateId: 1, domains, url }, await makeRequest(domains, await makePrivateKey()))
}
