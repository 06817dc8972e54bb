import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { freePort } from '../../../../../test/kit/ports.ts'
import { targetAt } from '../../../../../test/kit/samples/balancer-states.ts'
import { listenTcp, ownAddress, portOf, serviceTo, stateOf } from '../../../../../test/stubs/embedded-balancer.ts'
import type { BalancerState } from '../../../../families/load-balancers/driver.ts'
import { Backends } from './backends.ts'

const names = ['127.255.255.1', '127.255.255.2', '127.255.255.3']
const service = serviceTo(80, { listenPort: 80 })

describe('the targets of a service', () => {
  let backends: Backends
  const update = (algorithm: BalancerState['algorithm'], addresses = names) =>
    backends.update(stateOf('127.255.255.9', { algorithm, targets: addresses.map(targetAt) }), service)
  const chosen = (count: number) => Array.from({ length: count }, () => backends.choose()?.address)

  beforeEach(() => {
    backends = new Backends()
  })
  afterEach(() => backends.close())

  test('take turns', () => {
    update('round_robin')
    assert.deepEqual(chosen(6), [...names, ...names])
  })

  test('that are tried instead of another one take the turn of that one alone', () => {
    update('round_robin')
    const failing = names[1]
    const reached = Array.from({ length: 6 }, () => {
      const first = backends.choose()!
      return first.address === failing ? backends.choose(new Set([first]))!.address : first.address
    })
    assert.deepEqual(reached, [names[0], names[2], names[0], names[2], names[0], names[2]])
  })

  test('with the fewest connections come first, and take turns when they have as many', () => {
    update('least_connections')
    assert.deepEqual(chosen(3), names)
    backends.byCookie(backends.choose()!.cookie)!.load++
    assert.deepEqual(new Set(chosen(4)), new Set(names.slice(1)))
  })

  test('keep their connections and cookies when others come and go', () => {
    update('round_robin')
    const first = backends.choose()!
    const { cookie } = first
    update('round_robin', [names[0]!, '127.255.255.4'])
    assert.equal(backends.byCookie(cookie), first)
    assert.notEqual(cookie, '')
    assert.ok(!cookie.includes(names[0]!))
  })

  test('are nobody when there are none', () => {
    assert.equal(backends.choose(), undefined)
    update('round_robin')
    update('round_robin', [])
    assert.equal(backends.choose(), undefined)
  })
})

test('a connection goes on around the targets until one takes it', async () => {
  const addresses = [ownAddress(), ownAddress(), ownAddress()]
  const target = await listenTcp(addresses[2]!, (socket) => socket.end())
  const backends = new Backends()
  try {
    const state = stateOf(ownAddress(), { targets: addresses.map(targetAt) })
    backends.update(state, serviceTo(portOf(target), { listenPort: await freePort(addresses[0]!) }))
    for (let round = 0; round < 3; round++) {
      const found = await backends.connect(backends.choose(), () => true)
      assert.equal(found?.backend.address, addresses[2])
      found?.socket.destroy()
    }
    assert.equal(await backends.connect(backends.choose(), () => false), undefined)
  } finally {
    backends.close()
    target.close()
  }
})
