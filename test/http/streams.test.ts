/** Streams of events whose listeners do not read. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Identity } from '../../src/kernel/access/principal.ts'
import type { Authenticator } from '../../src/kernel/access/tokens.ts'
import { noLimits } from '../../src/kernel/http/admission/admission.ts'
import { buildEdge } from '../../src/kernel/http/http.ts'
import type { Listening } from '../../src/kernel/http/streams/streams.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { testClock } from '../kit/harness.ts'

const person: Identity = {
  actor: { kind: 'person', id: 1, name: 'a@example.com' },
  roles: new Map([[1 as ProjectId, 'viewer']]),
  isOperator: false,
  elevatedUntil: 0,
  bucket: 'person:1',
  session: 1,
}

test('who does not read is cut off before the server holds much for it', async () => {
  const edge = buildEdge({
    authenticator: {} as Authenticator,
    sessions: { find: () => person, findAgain: async () => person },
    limits: noLimits,
    clock: testClock(),
    log: openLog('silent'),
    vendor: 'wolke',
  })
  const opened = Promise.withResolvers<Listening>()
  const left = Promise.withResolvers<void>()
  edge.stream({
    path: '/events',
    needs: 'viewer',
    async open(listening) {
      opened.resolve(listening)
      return left.resolve
    },
  })
  await edge.server.listen({ host: '127.0.0.1', port: 0 })
  try {
    const { port } = edge.server.server.address() as AddressInfo
    const asked = request({ port, host: '127.0.0.1', path: '/console/api/projects/1/events', agent: false }).end()
    const [response] = await once(asked, 'response')
    response.on('error', () => undefined)
    response.pause()
    const { send } = await opened.promise
    let sent = 0
    let isGone = false
    void left.promise.then(() => {
      isGone = true
    })
    for (const data = JSON.stringify('x'.repeat(65_536)); !isGone; sent++) {
      send({ id: '1', data })
      await new Promise(setImmediate)
      assert.ok(sent < 2_000, 'it is cut off at some time')
    }
  } finally {
    await edge.server.close()
  }
})
