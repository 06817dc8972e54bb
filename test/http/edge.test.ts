/**
 * The HTTP edge over raw sockets: whatever arrives, what leaves is one envelope with the standard headers (spec: Errors,
 * Limits), in the order of the requests.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { URL } from 'node:url'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { createDatabase, postgresUrl } from '../kit/database/postgres.ts'
import { type Answer, forDatabasesInTurn, type Open, testClock, type World } from '../kit/harness.ts'
import { checkEnvelope, checkHeaders, request, talk } from '../stubs/raw-http.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

const portOf = (world: World) => Number(new URL(world.baseUrl).port)

const raw = (world: World, pieces: string | Buffer | (string | Buffer)[], count?: number) =>
  talk(connect(portOf(world), '127.0.0.1'), [pieces].flat(), count)

/** Says which case of a table failed; subtests would each throw the world away. */
function named(name: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

function post(token: string | undefined, body: string, headers: string[] = ['Content-Type: application/json']): string {
  return request('POST /v1/ssh_keys', token, [...headers, `Content-Length: ${Buffer.byteLength(body)}`], body)
}

type Case = [name: string, bytes: string | Buffer | (string | Buffer)[], status: number, code: string]

const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']

function malformed(token: string): Case[] {
  const auth = `Authorization: Bearer ${token}`
  const smuggled = (headers: string[], body = '0\r\n\r\n') => request('POST /v1/ssh_keys', token, headers, body)
  return [
    ['no HTTP at all', 'GARBAGE\r\n\r\n', 400, 'invalid_input'],
    ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex'), 400, 'invalid_input'],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_input'],
    ['an HTTP version that there is not', 'GET /health HTTP/3.7\r\nHost: a\r\n\r\n', 400, 'invalid_input'],
    ['a method that there is not', 'FROB /v1/ssh_keys HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_input'],
    ['a space in the path', request('GET /v1/ssh keys', token), 400, 'invalid_input'],
    ['a header name with a space', request('GET /v1/ssh_keys', token, ['Bad Header: x']), 400, 'invalid_input'],
    ['a header without a colon', request('GET /v1/ssh_keys', token, ['nonsense']), 400, 'invalid_input'],
    ['a NUL in a header', request('GET /v1/ssh_keys', token, ['X-A: a\0b']), 400, 'invalid_input'],
    ['a folded header', request('GET /v1/ssh_keys', token, ['X-A: a', ' b']), 400, 'invalid_input'],
    [
      'headers of more than 16 KiB',
      request('GET /v1/ssh_keys', token, [`X-A: ${'a'.repeat(17_000)}`]),
      431,
      'invalid_input',
    ],
    ['a path of more than 16 KiB', request(`GET /v1/${'a'.repeat(17_000)}`, token), 431, 'invalid_input'],
    ['no Host', `GET /v1/ssh_keys HTTP/1.1\r\n${auth}\r\nConnection: close\r\n\r\n`, 400, 'invalid_input'],
    [
      'a Host that is none',
      `GET /v1/ssh_keys HTTP/1.1\r\nHost: a"><b\r\n${auth}\r\nConnection: close\r\n\r\n`,
      400,
      'invalid_input',
    ],
    ['two Hosts', request('GET /v1/ssh_keys', token, ['Host: wolke.example']), 400, 'invalid_input'],
    ...['[::1', '::1', '[::1]:', '[1.2.3.4]', '[::g]', 'a:b', 'a:123456', '[]', ''].map(
      (host): Case => [
        `the Host ${host}`,
        `GET /v1/ssh_keys HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nConnection: close\r\n\r\n`,
        400,
        'invalid_input',
      ],
    ),
    ['an Expect header', request('POST /v1/ssh_keys', token, ['Expect: weird']), 417, 'invalid_input'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405, 'method_not_allowed'],
    [
      'Content-Length and Transfer-Encoding',
      smuggled(['Content-Length: 5', 'Transfer-Encoding: chunked']),
      400,
      'invalid_input',
    ],
    [
      'Transfer-Encoding and Content-Length',
      smuggled(['Transfer-Encoding: chunked', 'Content-Length: 5']),
      400,
      'invalid_input',
    ],
    ['two lengths', smuggled(['Content-Length: 5', 'Content-Length: 6']), 400, 'invalid_input'],
    ['a list of lengths', smuggled(['Content-Length: 5, 5']), 400, 'invalid_input'],
    ['a signed length', smuggled(['Content-Length: +5']), 400, 'invalid_input'],
    ['chunked that is not the last coding', smuggled(['Transfer-Encoding: chunked, identity']), 400, 'invalid_input'],
    ['a coding that there is not', smuggled(['Transfer-Encoding: xchunked']), 400, 'invalid_input'],
    ['a space before the colon', smuggled(['Transfer-Encoding : chunked']), 400, 'invalid_input'],
    ['a vertical tab in the coding', smuggled(['Transfer-Encoding: \x0bchunked']), 400, 'invalid_input'],
    ['a chunk size that is no number', smuggled(chunked, 'xyz\r\n{}\r\n0\r\n\r\n'), 400, 'invalid_input'],
    ['a chunk longer than it says', smuggled(chunked, '1\r\n{}\r\n0\r\n\r\n'), 400, 'invalid_input'],
    ['lines that end in LF alone', 'GET /v1/ssh_keys HTTP/1.1\nHost: a\n\n', 400, 'invalid_input'],
  ]
}

function badRequests(token: string): Case[] {
  const tooLong = `"${'x'.repeat(131_072)}"`
  return [
    ['no token', request('GET /v1/ssh_keys', undefined), 401, 'unauthorized'],
    [
      'another scheme than Bearer',
      request('GET /v1/ssh_keys', undefined, ['Authorization: Basic YTpi']),
      401,
      'unauthorized',
    ],
    ['bad percent-encoding in the path', request('GET /v1/ssh_keys/%E0%A4%A', token), 400, 'invalid_input'],
    ['bad percent-encoding in the query', request('GET /v1/ssh_keys?name=%zz', token), 400, 'invalid_input'],
    ['bad percent-encoding without a token', request('GET /v1/%zz', undefined), 401, 'unauthorized'],
    ['a very long path parameter', request(`GET /v1/ssh_keys/${'1'.repeat(12_000)}`, token), 404, 'not_found'],
    ['an unknown path', request('GET /v1/nothing', token), 404, 'not_found'],
    ['an unknown root', request('GET /v2', token), 404, 'not_found'],
    ['two slashes at the end', request('GET /v1/ssh_keys//', token), 404, 'not_found'],
    ['an absolute URL', request('GET http://other.example/v1/nothing', token), 404, 'not_found'],
    [
      'an unknown path with a bad body',
      request('POST /v1/nothing', token, ['Content-Length: 1'], '{'),
      404,
      'not_found',
    ],
    ['an unknown version', request('GET /v2/ssh_keys', token, ['Accept-Version: 3']), 404, 'not_found'],
    ['a body that is too long', post(token, tooLong), 413, 'invalid_input'],
    [
      'a chunked body that is too long',
      [request('POST /v1/ssh_keys', token, chunked), `${tooLong.length.toString(16)}\r\n${tooLong}\r\n0\r\n\r\n`],
      413,
      'invalid_input',
    ],
    [
      'a compressed body',
      post(token, '{}', ['Content-Encoding: gzip', 'Content-Type: application/json']),
      415,
      'invalid_input',
    ],
    [
      'a body of another type',
      post(token, 'a=b', ['Content-Type: application/x-www-form-urlencoded']),
      415,
      'invalid_input',
    ],
    ['a type that is none', post(token, '{}', ['Content-Type: ;;;']), 415, 'invalid_input'],
    ['a type that only begins like JSON', post(token, '{}', ['Content-Type: application/jsonx']), 415, 'invalid_input'],
    ['what is no JSON', post(token, '{"name":'), 400, 'json_error'],
    ['what is no JSON, without a type', post(token, '{', []), 400, 'json_error'],
    ['JSON after JSON', post(token, '{}{}'), 400, 'json_error'],
    ['a byte order mark', post(token, '\ufeff{}'), 400, 'json_error'],
    [
      'bytes that are no UTF-8',
      [request('POST /v1/ssh_keys', token, ['Content-Length: 12']), Buffer.from('7b226e616d65223a22ff227d', 'hex')],
      400,
      'json_error',
    ],
    ['the key __proto__', post(token, '{"labels":{"__proto__":{"a":"b"}}}'), 400, 'json_error'],
    ['the key __proto__, escaped', post(token, '{"__pr\\u006fto__":1}'), 400, 'json_error'],
    ['17 levels', post(token, `{"labels":${'['.repeat(16)}${']'.repeat(16)}}`), 400, 'json_error'],
    ['60,000 levels', post(token, '['.repeat(60_000) + ']'.repeat(60_000)), 400, 'json_error'],
    [
      '1,001 keys',
      post(token, JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 1])))),
      400,
      'json_error',
    ],
    [
      '30,000 elements',
      post(token, JSON.stringify({ labels: Array.from({ length: 30_000 }, () => 1) })),
      400,
      'json_error',
    ],
    ['a NUL in a text', post(token, '{"name":"a\\u0000b"}'), 400, 'json_error'],
    ['half a surrogate pair', post(token, '{"name":"\\ud800"}'), 400, 'json_error'],
    ['a NUL in a query', request('GET /v1/ssh_keys?name=a%00b', token), 422, 'invalid_input'],
    ['an array as the body', post(token, '[]'), 422, 'invalid_input'],
    ['a text as the body', post(token, '"x"'), 422, 'invalid_input'],
    ['null as the body', post(token, 'null'), 422, 'invalid_input'],
    ['a number as the body', post(token, '5'), 422, 'invalid_input'],
    ['an unknown sort field', request('GET /v1/ssh_keys?sort=progress', token), 422, 'invalid_input'],
  ]
}

forDatabasesInTurn('The edge', (open) => {
  test('malformed HTTP gets the envelope and the standard headers, and its connection ends', async () => {
    const world = await open()
    for (const [name, bytes, status, code] of malformed(world.api.token!)) {
      const answers = await raw(world, bytes)
      named(name, () => {
        checkEnvelope(answers[0], status, code)
        assert.equal(answers.length, 1, 'nothing after it is taken for a request')
      })
    }
  })

  test('requests that are refused get the envelope and the standard headers', async () => {
    const world = await open()
    for (const [name, bytes, status, code] of badRequests(world.api.token!)) {
      const [answer] = await raw(world, bytes, 1)
      named(name, () => checkEnvelope(answer, status, code))
    }
    assert.deepEqual(Object.keys(Object.prototype), [])
    assert.equal((await world.api.get('/ssh_keys')).body.ssh_keys.length, 0)
  })

  test('what is within the bounds is taken: 16 levels, 1,000 keys, 128 KiB', async () => {
    const { api } = await open()
    const keys = Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`k${i}`, 1]))
    const within = [
      `{"labels":${'['.repeat(15)}${']'.repeat(15)}}`,
      JSON.stringify({ labels: keys }),
      `{"name":"${'x'.repeat(131_072 - 11)}"}`,
      JSON.stringify({ labels: Array.from({ length: 19_000 }, () => 1) }),
    ]
    for (const body of within) assert.equal((await api.post('/ssh_keys', body)).status, 422, body.slice(0, 40))
  })

  test('a body shorter or longer than its Content-Length does not become another request', async () => {
    const world = await open()
    const line = `POST /v1/ssh_keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\n`
    const [first, second] = await raw(world, `${line}Content-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n`)
    checkEnvelope(first, 422, 'invalid_input')
    checkEnvelope(second, 400, 'invalid_input')

    const socket = connect({ port: portOf(world), host: '127.0.0.1', allowHalfOpen: true })
    socket.once('connect', () => socket.end(`${line}Content-Length: 100\r\n\r\n{}`))
    const [cut] = await talk(socket, [])
    checkEnvelope(cut, 400, 'invalid_input')
  })

  test('pipelined requests, however many at once, are all answered in their order, and bodies among them', async () => {
    const world = await open()
    const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\n`
    // Longer than what is read of a body at once, and ends in what could be the end of headers.
    const body = `{"name":"${'x'.repeat(5_000)}"}\r\n\r\n`
    const round = [
      `GET /v1/ssh_keys/1 ${head}\r\n`,
      `POST /v1/ssh_keys ${head}Content-Length: ${body.length}\r\n\r\n${body}`,
      `POST /v1/ssh_keys ${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      `GET /v1/ssh_keys ${head}\r\n`,
      `GET /v1/nothing ${head}Expect: 100-continue\r\n\r\n`,
    ].join('')
    // The second time its network is known for it, so that bytes are read otherwise from the start.
    for (let time = 0; time < 2; time++) {
      const answers = await raw(world, round.repeat(50), 250)
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array.from({ length: 50 }, () => [404, 422, 422, 200, 404]).flat(),
      )
    }
    const bytes = round.repeat(4)
    const cut = await raw(world, [...bytes.match(/[\s\S]{1,97}/g)!], 20)
    assert.equal(cut.length, 20)
    assert.equal((await raw(world, `${round.repeat(10)}BROKEN\r\n\r\n`)).at(-1)?.status, 400)
  })

  test('answers keep the order of pipelined requests, also when the second is malformed', async () => {
    const world = await open()
    const good = `GET /v1/ssh_keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`
    const answers = await raw(world, `${good}${good}BROKEN\r\n\r\n`)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 400],
    )
    checkEnvelope(answers[2], 400, 'invalid_input')
  })

  test('a request may have a body without a type, no body at all, or a body that nobody asked for', async () => {
    const world = await open()
    const { token } = world.api
    const body = JSON.stringify({ name: 'a', public_key: key })
    assert.equal((await raw(world, post(token, body, [])))[0]!.status, 201)
    assert.equal(
      (await raw(world, post(token, body, ['Content-Type: Application/JSON ; charset=utf-8'])))[0]!.status,
      409,
    )
    checkEnvelope((await raw(world, request('POST /v1/ssh_keys', token)))[0], 422, 'invalid_input')
    assert.equal((await raw(world, request('POST /v1/ssh_keys', token, ['Expect: 100-continue'])))[0]!.status, 422)
    const [listed] = await raw(world, request('GET /v1/ssh_keys', token, ['Content-Length: 1'], '{'))
    assert.equal(listed!.status, 200)
  })

  test('replies are JSON and say so; a deletion has no body; a request of another type is refused', async () => {
    const { api } = await open()
    const made = await api.post('/ssh_keys', { name: 'a', public_key: key })
    const id = made.body.ssh_key.id as number
    const refused = [
      await api.request('POST', '/ssh_keys', { body: 'name=a', headers: { 'content-type': 'text/plain' } }),
      await api.request('PUT', `/ssh_keys/${id}`, {
        body: 'name=b',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ]
    for (const { status, body } of refused) assert.deepEqual([status, body.error.code], [415, 'invalid_input'])
    const replies = [made, ...refused, await api.get('/ssh_keys'), await api.put(`/ssh_keys/${id}`, {})]
    for (const { headers } of replies) assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    const { status, text, headers } = await api.delete(`/ssh_keys/${id}`)
    assert.deepEqual([status, text, headers.get('content-type')], [204, '', null])
  })

  test('links lead to hosts that the operator named, to this machine and to addresses, else to where the caller is', async () => {
    const origins = ['https://cloud.example.com', 'http://wolke.internal:8080']
    const past = '2025-02-01T00:00:00Z'
    for (const publicOrigins of [[], origins]) {
      const world = await open({ publicOrigins, clock: testClock(past) })
      const elsewhere = publicOrigins[0] ?? ''
      const cases: [host: string, origin: string][] = [
        ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
        ['[::1]:80', 'http://[::1]:80'],
        ['LOCALHOST:8080', 'http://LOCALHOST:8080'],
        ['evil.example', elsewhere],
        ['localhost.evil.example', elsewhere],
        ['127.0.0.1.evil.example', elsewhere],
        ['cloud.example.com', elsewhere],
        ['Wolke.internal:8080', publicOrigins[1] ?? ''],
      ]
      for (const [host, origin] of cases) {
        const ask = async (path: string) => {
          const head = `GET /v1${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
          return (await raw(world, `${head}Authorization: Bearer ${world.api.token}\r\n\r\n`))[0]!
        }
        const { link } = (await ask('/ssh_keys?page=2')).headers
        assert.equal(link?.split('>')[0], `<${origin.toLowerCase()}/v1/ssh_keys?page=1`, host)
        const { error } = JSON.parse((await ask('/actions')).text)
        assert.equal(error.details.announcement, `${origin}/docs#list-actions-removed`, host)
      }
    }
  })

  test('mistakes of tenants leave no stack in the log', async () => {
    const lines: string[] = []
    const log = openLog('trace', { write: (line) => void lines.push(line) })
    const world = await open({ log })
    for (const [, bytes] of [...badRequests(world.api.token!), ...malformed(world.api.token!)])
      await raw(world, bytes, 1)
    const { api } = world
    for (let i = 0; i < 2; i++) await api.post('/ssh_keys', { name: 'a', public_key: key })
    const unknown = { name: 'a', type: 'managed', domain_names: ['no-zone.example.com'] }
    const { action } = (await api.post('/certificates', unknown)).body
    await world.settle()
    assert.equal((await api.get(`/actions/${action.id}`)).body.action.status, 'error')
    assert.ok(lines.some((line) => line.includes('an action failed') && line.includes('no-zone.example.com')))
    for (const line of lines) assert.doesNotMatch(line, /"stack"/)
  })

  test('a Host that is none, or not the only one, is refused before anything else is looked at', async () => {
    const world = await open()
    const hosts = ['', 'Host: [::1\r\n', 'Host: a\r\nHost: a\r\n']
    const callers = ['', 'Authorization: Bearer nobody', `Authorization: Bearer ${world.readOnly.token}`]
    const lines = [
      'POST /v1/ssh_keys',
      'GET /v1/nothing',
      'GET /v1/%zz',
      'GET /health',
      'GET /v1/openapi.json',
      'CONNECT a:1',
    ]
    for (const host of hosts) {
      for (const caller of [...callers, 'Expect: weird']) {
        for (const line of lines) {
          const answers = await raw(
            world,
            `${line} HTTP/1.1\r\n${host}${caller || 'X-A: b'}\r\nConnection: close\r\n\r\n`,
          )
          named(`${line} ${host} ${caller}`, () => {
            checkEnvelope(answers[0], 400, 'invalid_input')
            assert.match(answers[0]!.text, /Host/)
          })
        }
      }
    }
  })

  test('HTTP/1.0 works without Host', async () => {
    const world = await open()
    const [answer] = await raw(world, `GET /v1/ssh_keys HTTP/1.0\r\nAuthorization: Bearer ${world.api.token}\r\n\r\n`)
    assert.equal(answer!.status, 200)
    checkHeaders(answer!.headers)
  })

  test('a wrong method is 405 with the methods that the path allows', async () => {
    const world = await open()
    const { api } = world
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    const cases: [path: string, methods: string[], allow: string][] = [
      ['/ssh_keys', ['PATCH', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND', 'QUERY'], 'GET, HEAD, POST'],
      [`/ssh_keys/${id}`, ['PATCH', 'OPTIONS', 'TRACE', 'POST'], 'DELETE, GET, HEAD, PUT'],
    ]
    for (const [path, methods, allow] of cases) {
      for (const method of methods) {
        const [answer] = await raw(world, request(`${method} /v1${path}`, api.token))
        checkEnvelope(answer, 405, 'method_not_allowed')
        assert.equal(answer!.headers.allow, allow.toLowerCase())
      }
    }
    const [health] = await raw(world, request('POST /health', undefined))
    checkEnvelope(health, 405, 'method_not_allowed')
    assert.equal(health!.headers.allow, 'get, head')
  })

  test('HEAD answers as GET does, without a body', async () => {
    const { api, readOnly, baseUrl } = await open()
    const headers = { authorization: `Bearer ${readOnly.token}` }
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    for (const path of ['/ssh_keys', `/ssh_keys/${id}`, '/ssh_keys/1', '/ssh_keys?page=0', '/nothing']) {
      const [get, head] = [await readOnly.get(path), await fetch(baseUrl + path, { method: 'HEAD', headers })]
      assert.equal(head.status, get.status, path)
      assert.equal(await head.text(), '')
      for (const name of ['content-type', 'content-length', 'link']) {
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
      }
      checkHeaders(Object.fromEntries(head.headers))
    }
  })

  test('what is no id names nothing', async () => {
    const { api } = await open()
    for (const id of [
      '0',
      '01',
      '-1',
      '1.5',
      '1e3',
      '0x1',
      String(2 ** 52),
      '9'.repeat(16),
      'abc',
      '%31%20',
      '１',
      '%20',
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await api.request(method, `/ssh_keys/${id}`, {
          body: method === 'PUT' ? {} : undefined,
        })
        assert.deepEqual([status, body.error.code], [404, 'not_found'], `${method} ${id}`)
      }
    }
    assert.equal((await api.get(`/ssh_keys/${2 ** 52 - 1}`)).status, 404)
  })

  test('a database that does not answer is 503 with all headers, and the health page says so', async (t) => {
    const world = await open()
    if (world.engineName === 'sqlite') {
      await world.db.close()
      await checkUnhealthy(world)
      return
    }
    const { url, cut } = await behindProxy(t)
    const other = await open({ database: { engine: 'postgres', url } })
    assert.equal((await fetch(other.baseUrl.replace('/v1', '/health'))).status, 200)
    cut()
    const stranger = other.client(world.api.token)
    for (const client of [stranger, other.api]) {
      const { status, headers, body } = await client.get('/ssh_keys')
      assert.deepEqual([status, body.error.code, body.error.details], [503, 'unavailable', null])
      checkHeaders(Object.fromEntries(headers))
    }
    await checkUnhealthy(other)
  })

  test('an answer of the database that is late is 504 to who reads, and 500 to who may have written', async () => {
    const { api, db } = await open()
    const { id } = (await api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
    const late = () => {
      throw new Error('Query read timeout')
    }
    Object.defineProperty(db, 'query', { get: late })
    for (const [method, status, code] of [
      ['GET', 504, 'timeout'],
      ['PUT', 500, 'server_error'],
    ] as const) {
      const answer = await api.request(method, `/ssh_keys/${id}`, { body: method === 'PUT' ? {} : undefined })
      assert.deepEqual([answer.status, answer.body.error.code], [status, code])
    }
  })
})

async function checkUnhealthy({ baseUrl }: World): Promise<void> {
  const answer = await fetch(baseUrl.replace('/v1', '/health'))
  assert.equal(answer.status, 503)
  checkHeaders(Object.fromEntries(answer.headers))
  const { error } = (await answer.json()) as Answer['body']
  assert.deepEqual([error.code, error.details], ['unavailable', null])
}

/** A PostgreSQL database of its own that can be cut off. */
async function behindProxy(t: TestContext): Promise<{ url: string; cut(): void }> {
  const { url, drop } = await createDatabase(await postgresUrl())
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = createServer((socket) => {
    const onward = connect(Number(port), hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => end.destroy())
    }
    socket.pipe(onward).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(async () => {
    cut()
    await drop()
  })
  const proxied = new URL(url)
  proxied.port = String((proxy.address() as { port: number }).port)
  return { url: proxied.href, cut }
}

// ---- Stopping ------------------------------------------------------------------------------------------------------

/** A world in which an update waits until it is let go. */
async function heldUpdate(open: Open) {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const faults = {
    reach: async (place: string) => {
      if (!place.startsWith('update/')) return
      reached.resolve()
      await gate.promise
    },
  }
  const world = await open({ faults })
  const { id } = (await world.api.post('/ssh_keys', { name: 'a', public_key: key })).body.ssh_key
  return { world, id, reached: reached.promise, release: gate.resolve }
}

forDatabasesInTurn('Stopping', (open) => {
  test('a request under way on a kept-alive connection gets its answer, and then the connection ends', async () => {
    const { world, id, reached, release } = await heldUpdate(open)
    const update = `PUT /v1/ssh_keys/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\nContent-Length: 12\r\n\r\n`
    const socket = connect(portOf(world), '127.0.0.1')
    const talking = talk(socket, [update, '{"name":"b"}'])
    await reached
    const stopped = world.app.stop()
    await assert.rejects(fetch(world.baseUrl), 'no new connection is taken')
    release()
    const [answer] = await talking
    assert.equal(answer?.status, 200, answer?.text)
    assert.equal(answer.headers.connection, 'close')
    checkHeaders(answer.headers)
    await stopped
  })

  test('a request that comes on a connection in use while the server stops is answered, not refused', async () => {
    const { world, id, reached, release } = await heldUpdate(open)
    const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\n`
    const socket = connect(portOf(world), '127.0.0.1')
    const talking = talk(socket, [
      `PUT /v1/ssh_keys/${id} ${head}Content-Length: 2\r\n\r\n{}GET /v1/ssh_keys/${id} ${head}\r\n`,
    ])
    await reached
    const stopped = world.app.stop()
    release()
    const answers = await talking
    assert.equal(answers[0]?.status, 200)
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    await stopped
  })

  test('a change whose client has left is carried out before the server has stopped', async () => {
    const { world, id, reached, release } = await heldUpdate(open)
    const socket = connect(portOf(world), '127.0.0.1')
    socket.write(
      `PUT /v1/ssh_keys/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.api.token}\r\nContent-Length: 12\r\n\r\n{"name":"b"}`,
    )
    await reached
    socket.destroy()
    let isStopped = false
    const stopped = world.app.stop().then(() => {
      isStopped = true
    })
    // It would have stopped by then if it did not wait.
    for (let turns = 0; turns < 1_000 && !isStopped; turns++) await nextTurn()
    release()
    await stopped
    const rows = await acrossProjects(world.db.query).selectFrom('ssh_key').select('name').execute()
    assert.deepEqual(rows, [{ name: 'b' }])
  })
})
