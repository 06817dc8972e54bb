/** Services of TCP: bytes pass unchanged in both directions, and limits hold. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, check, httpCheck, tcpService } from '../kit/balancers.ts'
import { dial, echo, read } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import { echoTarget, httpTarget, listen } from '../kit/targets.ts'

onEachPlane('TCP', import.meta.filename, (plane) => {
  test('passes bytes unchanged in both directions', async (t) => {
    const { address } = await echoTarget(t, plane)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    const socket = await dial(t, balancer.at(90))
    const sent = randomBytes(8_000_000)
    const received = createHash('sha256')
    const sending = pipeline([sent], socket)
    for await (const part of socket) received.update(part)
    await sending
    assert.equal(received.digest('hex'), createHash('sha256').update(sent).digest('hex'))
  })

  test('keeps one direction open when the other has ended', async (t) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let length = 0
      socket.on('data', (part) => {
        length += part.length
      })
      socket.once('end', () => socket.end(`got ${length}`))
    })
    const { address } = await listen(t, plane, server)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    const socket = await dial(t, balancer.at(90))
    const answer = read(socket)
    socket.end('five!')
    assert.equal((await answer).toString(), 'got 5')
  })

  test('lets the target speak first, and end first', async (t) => {
    const server = createServer((socket) => void socket.end('welcome, and good-bye'))
    const { address } = await listen(t, plane, server)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    assert.equal((await read(await dial(t, balancer.at(90)))).toString(), 'welcome, and good-bye')
  })

  test('serves IPv6 and IPv4 to targets of both', async (t) => {
    const port = 8090
    const one = await echoTarget(t, plane, { port })
    const other = await echoTarget(t, plane, { address: plane.site.targetAddress6, port })
    for (const { address } of [one, other]) {
      const address4 = `${plane.site.balancerNet}.${plane.next()}`
      const balancer = await Balancer.ready(t, plane, {
        publicAddresses: [address4, plane.site.balancerAddress6(plane.next())],
        services: [tcpService(91, { destinationPort: port, healthCheck: check({ port }) })],
        targets: [targetAt(address)],
      })
      for (const host of balancer.state.publicAddresses) {
        assert.equal(await echo(await dial(t, balancer.at(91, host)), `by ${host}`), `by ${host}`)
      }
      await balancer.remove()
    }
    assert.deepEqual([one.total(), other.total()], [2, 2])
  })

  test('ends connections when there is nobody to serve them', async (t) => {
    const balancer = await Balancer.make(t, plane, { services: [tcpService(90)] })
    assert.equal((await read(await dial(t, balancer.at(90)))).length, 0)
  })

  test('serves no more connections than it may, and the next one when one ends', async (t) => {
    const most = 5
    const port = 8091
    const { address, connections } = await echoTarget(t, plane)
    const checked = await httpTarget(t, plane, undefined, { address, port })
    const service = tcpService(90, { healthCheck: httpCheck({ port }, { path: '/health' }) })
    const balancer = await Balancer.ready(t, plane, {
      maxConnections: most,
      services: [service],
      targets: [targetAt(address)],
    })
    const served = []
    for (let i = 0; i < most; i++) {
      const socket = await dial(t, balancer.at(90))
      assert.equal(await echo(socket, 'served'), 'served')
      served.push(socket)
    }
    const surplus = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = await dial(t, balancer.at(90)).catch(() => undefined)
        socket?.on('error', () => undefined).write('served?')
        return socket
      }),
    )
    const checks = checked.checks.length
    // Whoever was served would have been by the time of the next two checks.
    await until(() => checked.checks.length >= checks + 2)
    assert.equal(connections.size, most)
    for (const socket of surplus) socket?.destroy()
    served[0]!.destroy()
    await once([...connections][0]!, 'close')
    await until(async () => {
      const socket = await dial(t, balancer.at(90)).catch(() => undefined)
      return socket !== undefined && (await echo(socket, 'next')) === 'next'
    })
  })
})
