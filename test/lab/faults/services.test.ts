/** Faults of what works beside the API: the name server, the metadata service, targets, and the certificate authority. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balancerOf, makeBalancer, tcp, toServer } from '../../../src/families/load-balancers/proof/samples.ts'
import { newServer } from '../../../src/families/servers/proof.ts'
import { ask as askDns, exchangeStream, framed, question, serveDns, tell } from '../../dns/client.ts'
import { makeZone, rrset } from '../../dns/zones.ts'
import { firstProject } from '../../kit/audit-log.ts'
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
    assert.equal((await askDns(place, name, 'A')).rcode, 'SERVFAIL')
    assert.equal((await askDns(place, name, 'A', { tcp: true })).rcode, 'SERVFAIL')
    assert.deepEqual((await askDns(place, name, 'A')).answers, ['www.example.com A 192.0.2.7'])
    const twice = [11, 12].map((id) => framed(question(name, 'A', { packet: { id } })))
    const [answer] = await exchangeStream(place, Buffer.concat(twice), 1)
    assert.equal(answer!.readUInt16BE(0), 12, 'only the second question is answered')
    assert.equal(tell(answer!).rcode, 'NOERROR')
    assert.equal((await askDns(place, 'example.com', 'SOA')).rcode, 'NOERROR')
    assert.deepEqual([(await rule('late')).hits, (await rule('silent')).hits], [5, 1])
    const { operation, subject } = (await rule('failing')).last_hits[0]!
    assert.deepEqual([operation, subject], ['name_server', name])
  })

  test('lets a server wait for its metadata', async () => {
    const { world, api, inject, rule } = await openFaultLab(open)
    const [slow, quick] = [await newServer(api, 'slow', { location: 'fsn1' }), await newServer(api, 'quick')]
    await world.settle()
    const url = await world.app.serveMetadata({ host: '127.0.0.1', port: 0 }, '/hetzner')
    const latency = { duration: '2ms' }
    await inject({ name: 'late', match: { id: slow }, fault: { metadata: { latency } } })
    const match = { project: 'first', name: 's*', location: 'fsn1' }
    await inject({ name: 'later', match, fault: { metadata: { latency } } })
    await inject({ name: 'other', match: { project: 'second' }, fault: { metadata: { latency } } })
    for (const [id, name, injected] of [
      [slow, 'slow', 'late, later'],
      [quick, 'quick', null],
    ] as const) {
      const answer = await fetch(`${url}/servers/${id}/v1/metadata/hostname`)
      assert.equal(await answer.text(), name)
      assert.equal(answer.headers.get('wolke-injected'), injected)
    }
    const { hits, last_hits } = await rule('later')
    assert.deepEqual([hits, last_hits[0]!.subject, last_hits[0]!.project], [1, String(slow), await firstProject(world)])
    assert.deepEqual([(await rule('late')).hits, (await rule('other')).fitting], [1, 0])
  })

  test('lets the targets of a Load Balancer flap', async () => {
    const { world, api, inject, rule, ask } = await openFaultLab(open)
    const server = await newServer(api, 'target')
    await world.settle()
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toServer(server)] })
    const status = async () => (await balancerOf(api, id)).targets[0].health_status[0].status
    assert.equal(await status(), 'healthy')
    const { name } = await inject({ match: { id }, when: { every: 2 }, fault: { targets: 'unhealthy' } })
    assert.deepEqual(await inOrder(4, status), ['unhealthy', 'healthy', 'unhealthy', 'healthy'])
    assert.deepEqual((await rule(name)).last_hits[0]!.subject, String(id))
    await done(ask('DELETE', `/faults/${name}`))
    const called = (await balancerOf(api, id)).name
    for (const wrong of [{ name: `${called}-not` }, { label_selector: 'env' }, { project: 'second' }])
      await inject({ match: wrong, fault: { targets: 'unhealthy' } })
    assert.equal(await status(), 'healthy')
    await inject({ match: { name: called, label_selector: '!env' }, fault: { targets: 'unhealthy' } })
    assert.equal(await status(), 'unhealthy')
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
