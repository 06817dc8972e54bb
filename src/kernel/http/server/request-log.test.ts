import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { Actor, Principal } from '../../access/principal.ts'
import { Note } from '../../audit/note.ts'
import { openLog } from '../../process/log.ts'
import { requestLogger } from './request-log.ts'

/** The line of a request by somebody, that started actions. */
function lineOf(actor: Actor | undefined, started: readonly number[] = [], agent = 'hcloud-go/2.0'): object {
  const lines: string[] = []
  const log = requestLogger(openLog('info', { write: (line) => void lines.push(line) }))
  const note = new Note({} as never)
  note.started = started
  const principal = actor && ({ actor, scope: { projectId: 7 } } as unknown as Principal)
  const request = {
    id: 'f'.repeat(32),
    method: 'POST',
    originalUrl: '/v1/servers?token=x',
    ip: '192.0.2.1',
    principal,
    note,
  }
  const more = { headers: { 'user-agent': agent }, raw: {} as IncomingMessage, routeOptions: {} }
  log({ ...request, ...more }, { statusCode: 201, elapsedTime: 1.2345 })
  const { level, time, ...line } = JSON.parse(lines.join(''))
  assert.equal(level, 30)
  assert.ok(Date.parse(time))
  return line
}

const common = { id: 'f'.repeat(32), method: 'POST', path: '/v1/servers', status: 201, ms: 1.23, client: '192.0.2.1' }

test('the line of a request says who asked, from where and with what, and which actions it started', () => {
  const known = { ...common, project: 7, agent: 'hcloud-go/2.0' }
  const who = (kind: Actor['kind']) => ({ kind, id: 5, name: 'no name is logged' })
  assert.deepEqual(lineOf(who('token'), [1, 2]), { ...known, token_id: 5, actions: [1, 2] })
  assert.deepEqual(lineOf(who('person')), { ...known, person_id: 5 })
  assert.deepEqual(lineOf(who('management')), { ...known, management_token_id: 5 })
  assert.deepEqual(lineOf(undefined), { ...common, agent: 'hcloud-go/2.0' })
})

test('a User-Agent is bounded, and has nothing in it that may be a secret', () => {
  const agent = `curl ${'s'.repeat(64)} ${'a '.repeat(5_000)}`
  const line = lineOf(undefined, [], agent) as { readonly agent: string }
  assert.ok(line.agent.startsWith('curl [removed] a a'))
  assert.ok(line.agent.length < 2_100)
})
