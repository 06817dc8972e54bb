/** Faults of what works beside the API: the name server, the metadata service, targets, and the certificate authority. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balancerOf, makeBalancer, tcp, toServer } from '../../../src/families/load-balancers/proof/samples.ts'
import { newServer } from '../../../src/families/servers/proof.ts'
import { ask, exchangeStream, framed, question, serveDns, tell } from '../../dns/client.ts'
import { makeZone, rrset } from '../../dns/zones.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { inOrder, openFaultLab } from './kit.ts'

forEachDatabase('A fault of services', (open) => {
  test('lets the name server answer late, with a failure, or not at all', async () => {
    const { world, inject, rule } = await openFaultLab(open)
    await makeZone(world, [rrset('www', 'A', '192.0.2.7')])
    const place = await serveDns(world)
    const name = 'www.example.com'
    await inject({
      name: 'late',
      match: { name: '*.example.com' },
      fault: { name_server: { latency: { duration: '2ms' } } },
    })
    await inject({ name: 'failing', when: { first: 2 }, fault: { name_server: { answer: 'servfail' } } })
    await inject({
      name: 'silent',
      match: { name },
      when: { after: 1, first: 1 },
      fault: { name_server: { answer: 'none' } },
    })
    assert.equal((await ask(place, name, 'A')).rcode, 'SERVFAIL')
    assert.equal((await ask(place, name, 'A', { tcp: true })).rcode, 'SERVFAIL')
    assert.deepEqual((await ask(place, name, 'A')).answers, ['www.example.com A 192.0.2.7'])
    const twice = [11, 12].map((id) => framed(question(name, 'A', { packet: { id } })))
    const [answer] = await exchangeStream(place, Buffer.concat(twice), 1)
    assert.equal(answer!.readUInt16BE(0), 12, 'only the second question is answered')
    assert.equal(tell(answer!).rcode, 'NOERROR')
    assert.equal((await ask(place, 'example.com', 'SOA')).rcode, 'NOERROR')
    assert.deepEqual([(await rule('late')).hits, (await rule('silent')).hits], [5, 1])
    assert.equal((await rule('failing')).last_hits[0]!.operation, 'name_server')
  })

  test('lets a server wait for its metadata', async () => {
    const { world, api, inject, rule } = await openFaultLab(open)
    const [slow, quick] = [await newServer(api, 'slow'), await newServer(api, 'quick')]
    await world.settle()
    const url = await world.app.serveMetadata({ host: '127.0.0.1', port: 0 }, '/hetzner')
    await inject({ name: 'late', match: { id: slow }, fault: { metadata: { latency: { duration: '2ms' } } } })
    for (const [id, name] of [
      [slow, 'slow'],
      [quick, 'quick'],
    ] as const)
      assert.equal(await (await fetch(`${url}/servers/${id}/v1/metadata/hostname`)).text(), name)
    assert.equal((await rule('late')).hits, 1)
  })

  test('lets the targets of a Load Balancer flap', async () => {
    const { world, api, inject } = await openFaultLab(open)
    const server = await newServer(api, 'target')
    await world.settle()
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toServer(server)] })
    const status = async () => (await balancerOf(api, id)).targets[0].health_status[0].status
    assert.equal(await status(), 'healthy')
    await inject({ match: { id }, when: { every: 2 }, fault: { targets: 'unhealthy' } })
    assert.deepEqual(await inOrder(4, status), ['unhealthy', 'healthy', 'unhealthy', 'healthy'])
  })

  test('lets the authority refuse a certificate', async () => {
    const { world, api, inject } = await openFaultLab(open)
    await makeZone(world)
    await inject({
      match: { command: 'create_certificate', name: 'refused' },
      fault: { action: { error: { code: 'rate_limited', message: 'too many certificates' } } },
    })
    const issued = async (name: string) => {
      const body = { name, type: 'managed', domain_names: ['www.example.com'] }
      const { certificate } = await done(api.post('/certificates', body))
      await world.settle()
      return (await done(api.get(`/certificates/${certificate.id}`))).certificate.status
    }
    const { issuance, error } = await issued('refused')
    assert.deepEqual([issuance, error], ['failed', { code: 'rate_limited', message: 'too many certificates' }])
    assert.equal((await issued('given')).issuance, 'completed')
  })
})
