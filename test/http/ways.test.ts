/** Requests go one of two ways through the edge, with the framework or without it: nobody can tell which by the answer. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { forDatabasesInTurn, type World } from '../kit/harness.ts'
import { type RawAnswer, request, talk } from '../stubs/raw-http.ts'

/** The same media type, plainly and in a way that only the framework takes. */
const types = ['application/json', 'Application/JSON ; charset=utf-8'] as const

/** What does not differ between requests that ask for the same. */
function comparable({ status, headers, text }: RawAnswer) {
  const { 'x-correlation-id': id, 'ratelimit-remaining': left, 'ratelimit-reset': reset, date, ...others } = headers
  assert.ok(id && left && reset && date)
  return { status, headers: others, text: text.replaceAll(/\d{5,}/g, 'ID').replaceAll(/"name":"[^"]*"/g, '"name":"N"') }
}

forDatabasesInTurn('both ways', (open) => {
  const send = async (world: World, line: string, head: string[], pieces: string[], token: string | undefined) => {
    const socket = connect({ port: Number(new URL(world.baseUrl).port), host: '127.0.0.1' })
    const length = `Content-Length: ${Buffer.byteLength(pieces.join(''))}`
    const [answer] = await talk(socket, [request(line, token, [...head, length]), ...pieces.filter(Boolean)])
    assert.ok(answer, line)
    return answer
  }

  test('a write is answered alike, whether it is done, refused, unreadable, or without a body', async () => {
    const world = await open()
    const answered = await Promise.all(
      types.map(async (type, way) => {
        const answers: RawAnswer[] = []
        const ask = async (
          line: string,
          body: string | string[] | undefined,
          token: string | undefined = world.api.token,
        ) => {
          const typed = body === undefined && way === 0 ? [] : [`Content-Type: ${type}`]
          const answer = await send(world, line, typed, [body ?? ''].flat(), token)
          answers.push(answer)
          return answer
        }
        const made = await ask('POST /v1/firewalls', `{"name":"way-${way}","labels":{"a":"b"}}`)
        const path = `/v1/firewalls/${JSON.parse(made.text).firewall.id}`
        await ask('POST /v1/firewalls', `{"name":"way-${way}"}`)
        await ask('POST /v1/firewalls', ['{"name":"', `in-pieces-${way}`, '"', '}'])
        await ask('POST /v1/firewalls?a=%zz', '{}')
        await ask(`POST ${path}/actions/set_rules`, '{"rules":[]}')
        await ask(`PUT ${path}`, '{"labels":{"c":"d"}}')
        for (const body of [
          '{"name":',
          '{"name":7}',
          '[]',
          '"\\ud800"',
          '{"__proto__":1}',
          `{"name":"${'x'.repeat(140_000)}"}`,
        ])
          await ask('POST /v1/firewalls', body)
        await ask('POST /v1/firewalls/12345/actions/set_rules', '{"rules":[]}')
        await ask('POST /v1/firewalls/0/actions/set_rules', '{"rules":[]}')
        await ask('POST /v1/firewalls/12345/actions/nothing', '{}')
        await ask('DELETE /v1/firewalls', '{}')
        await ask('POST /v1/firewalls', '{"name":"none"}', 'no-token')
        await ask('POST /v1/firewalls', undefined)
        await ask(`DELETE ${path}`, undefined)
        await ask(`DELETE ${path}`, undefined)
        return answers
      }),
    )
    const [plain, other] = answered.map((answers) => answers.map(comparable))
    assert.deepEqual(plain, other)
    const statuses = [
      201, 409, 201, 400, 201, 200, 400, 422, 422, 400, 400, 413, 404, 404, 404, 405, 401, 422, 204, 404,
    ]
    assert.deepEqual(
      plain!.map(({ status }) => status),
      statuses,
    )
  })

  test('a body that breaks off changes nothing, and the next request is served', async () => {
    const world = await open()
    for (const type of types) {
      const head = request('POST /v1/firewalls', world.api.token, [`Content-Type: ${type}`, 'Content-Length: 100'])
      const socket = connect({ port: Number(new URL(world.baseUrl).port), host: '127.0.0.1', allowHalfOpen: true })
      socket.once('connect', () => socket.end(`${head}{"name":"broken"}`))
      const [cut] = await talk(socket, [])
      assert.equal(cut?.status, 400)
    }
    assert.deepEqual((await world.api.get('/firewalls')).body.firewalls, [])
  })
})
