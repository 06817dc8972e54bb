import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { until } from '../../../../test/kit/database/bare-database.ts'
import { freePort } from '../../../../test/kit/ports.ts'
import { plainHttp, targetAt } from '../../../../test/kit/samples/balancer-states.ts'
import {
  converse,
  listenHttp,
  ownAddress,
  portOf,
  serviceTo,
  stateOf,
} from '../../../../test/stubs/embedded-balancer.ts'
import type { BalancerState } from '../../../families/load-balancers/driver.ts'
import { Balancer } from './balancer.ts'

describe('a balancer that changes', () => {
  const address = ownAddress()
  let balancer: Balancer
  let port: number
  beforeEach(async () => {
    balancer = new Balancer(stateOf(address, {}), { portOffset: 0, report: () => undefined })
    port = await freePort(address)
  })
  afterEach(() => balancer.close())

  const apply = (state: Partial<BalancerState>) =>
    balancer.apply(stateOf(address, { targets: [targetAt(address)], ...state }))
  const ask = (path = '/') => converse(address, port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)

  test('sends no request to the old port over a connection that was in use during the change', async (t) => {
    const waiting: ServerResponse[] = []
    const before = await listenHttp(address, (request, response) => {
      if (request.url === '/slow') waiting.push(response)
      else response.end('before')
    })
    const later = await listenHttp(address, (_, response) => response.end('later'))
    t.after(() => [before, later].map((server) => server.close() && server.closeAllConnections()))
    await apply({ services: [serviceTo(portOf(before), { listenPort: port })] })
    const slow = ask('/slow')
    await until(() => waiting.length === 1)
    const connection = waiting[0]!.socket!
    await apply({ services: [serviceTo(portOf(later), { listenPort: port })] })
    const ended = once(connection, 'close')
    waiting[0]!.end('slow')
    assert.match(await slow, /slow$/)
    for (let round = 0; round < 3; round++) assert.match(await ask(), /later$/)
    await ended
  })

  test('keeps all of its services when the certificate of one of them is refused', async (t) => {
    const target = await listenHttp(address, (_, response) => response.end('fine'))
    t.after(() => target.close() && target.closeAllConnections())
    const secure = { listenPort: await freePort(address), protocol: 'https' as const }
    const service = (http: Partial<typeof plainHttp>) =>
      serviceTo(portOf(target), { listenPort: port, http: { ...plainHttp, isSticky: true, ...http } })
    const certificates = [{ id: 1, chain: 'none', privateKey: 'none' }]
    await apply({ services: [service({ cookieName: 'OLD' }), serviceTo(portOf(target), secure)] })
    const refused = serviceTo(portOf(target), { ...secure, http: { ...plainHttp, certificates } })
    assert.throws(() => void apply({ generation: 2, services: [service({ cookieName: 'NEW' }), refused] }))
    assert.match(await ask(), /Set-Cookie: OLD=/i)
    assert.equal(balancer.generation, stateOf(address, {}).generation)
  })
})
