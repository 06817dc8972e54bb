/** Sticky sessions: who comes back with his cookie finds his target, and the cookie tells nothing. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService } from '../kit/balancers.ts'
import { type Answer, ask } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { httpTarget } from '../kit/targets.ts'

const healthCheck = httpCheck({}, { path: '/health' })
const sticky = httpService(80, { isSticky: true, cookieName: 'SESSION', cookieLifetime: 120 }, { healthCheck })

async function stickyBalancer(t: TestContext, plane: Plane, cookieSecret = 'a secret') {
  const targets = await Promise.all(Array.from({ length: 4 }, () => httpTarget(t, plane)))
  const balancer = await Balancer.ready(t, plane, {
    cookieSecret,
    services: [sticky],
    targets: targets.map(({ address }) => targetAt(address)),
  })
  return { balancer, targets }
}

const cookieOf = ({ headers }: Answer) => headers['set-cookie']?.[0]?.split(';')[0]
const visit = (balancer: Balancer, cookie: string) => ask(balancer.at(80), { headers: { cookie } })

/** Visits with a cookie and says which targets answered. */
async function met(balancer: Balancer, cookie: string): Promise<string[]> {
  const answers = []
  for (let i = 0; i < 6; i++) answers.push((await visit(balancer, cookie)).body)
  return [...new Set(answers)]
}

onEachPlane('Sticky sessions', import.meta.filename, (plane) => {
  test('lead back to the same target, whatever changes', async (t) => {
    const { balancer, targets } = await stickyBalancer(t, plane)
    const first = await ask(balancer.at(80))
    const cookie = cookieOf(first)!
    assert.deepEqual(await met(balancer, cookie), [first.body])
    await balancer.change({ algorithm: 'least_connections' })
    assert.deepEqual(await met(balancer, cookie), [first.body])
    const gone = targets.find(({ address }) => address !== first.body)!
    await balancer.change({ targets: balancer.state.targets.filter(({ address }) => address !== gone.address) })
    assert.deepEqual(await met(balancer, cookie), [first.body])
    // The cookie is that of the target, not of its place in a list.
    await balancer.change({ targets: balancer.state.targets.toReversed() })
    assert.deepEqual(await met(balancer, cookie), [first.body])
  })

  test('begin with a cookie that only browsers see, for as long as it shall last', async (t) => {
    const { balancer } = await stickyBalancer(t, plane)
    const { headers } = await ask(balancer.at(80))
    const [value, ...attributes] = headers['set-cookie']![0]!.split(/; */)
    assert.match(value!, /^SESSION=[^\s;,"]+$/)
    assert.deepEqual(
      new Set(attributes.map((one) => one.toLowerCase())),
      new Set(['path=/', 'httponly', 'max-age=120']),
    )
    assert.equal(headers['set-cookie']!.length, 1)
    assert.equal((await visit(balancer, value!)).headers['set-cookie'], undefined)
  })

  test('tell targets nothing, and keep other cookies', async (t) => {
    const { balancer, targets } = await stickyBalancer(t, plane)
    const first = await ask(balancer.at(80))
    const { requests } = targets.find(({ address }) => address === first.body)!
    const seen = async (cookie: string) => {
      await visit(balancer, cookie)
      return requests.at(-1)!.headers.cookie
    }
    const cookie = cookieOf(first)
    assert.equal(await seen(`${cookie}`), undefined)
    assert.equal((await seen(`a=1; ${cookie}; b="2"`))?.replaceAll(/\s/g, ''), 'a=1;b="2"')
  })

  test('tell clients nothing of the target', async (t) => {
    const { balancer, targets } = await stickyBalancer(t, plane)
    const values = new Set<string>()
    // What follows the bar in a cookie of HAProxy is when it was made.
    const value = async () =>
      cookieOf(await ask(balancer.at(80)))!
        .slice('SESSION='.length)
        .split('|')[0]!
    for (let i = 0; i < 8; i++) values.add(await value())
    assert.equal(values.size, targets.length)
    const bytes = (address: string) => Buffer.from(address.split('.').map(Number))
    for (const value of values) {
      const decoded = [value, Buffer.from(value, 'base64').toString('latin1'), Buffer.from(value, 'base64url')]
      for (const { address } of targets) {
        for (const form of [address, bytes(address).toString('hex'), bytes(address).toString('latin1')]) {
          assert.ok(!decoded.some((one) => one.includes(form)), `${value} tells ${address}`)
        }
      }
    }
    // With another secret, the same targets have other cookies.
    await balancer.change({ cookieSecret: 'another secret' })
    assert.ok(!values.has(await value()))
  })

  test('move on when the target is unhealthy', async (t) => {
    let failing = ''
    const make = () =>
      httpTarget(t, plane, ({ socket: { localAddress = '' } }, response) => {
        response.writeHead(localAddress === failing ? 500 : 200).end(localAddress)
      })
    const targets = [await make(), await make()]
    const balancer = await Balancer.ready(t, plane, {
      services: [{ ...sticky, healthCheck: httpCheck({ retries: 2 }, { path: '/health' }) }],
      targets: targets.map(({ address }) => targetAt(address)),
    })
    const first = await ask(balancer.at(80))
    failing = first.body
    await balancer.untilStatus(failing, 'unhealthy')
    const second = await visit(balancer, cookieOf(first)!)
    assert.notEqual(second.body, first.body)
    assert.ok(cookieOf(second) && cookieOf(second) !== cookieOf(first), 'a new cookie')
  })

  test('begin anew with a cookie that nobody gave', async (t) => {
    const { balancer } = await stickyBalancer(t, plane)
    for (const cookie of ['SESSION=made-up', 'SESSION=', `SESSION=${'x'.repeat(2_000)}`]) {
      const answer = await visit(balancer, cookie)
      assert.equal(answer.status, 200)
      assert.match(cookieOf(answer) ?? 'none', /^SESSION=./)
    }
  })
})
