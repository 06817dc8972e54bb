import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, forProjects, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { assertNames } from '../../../../test/kit/refusals.ts'
import { expect, refused } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { balancerBody, balancerOf, command, makeBalancer, makeCertificate, tcp } from '../proof.ts'

const usualHttp = {
  cookie_name: 'HCLBSTICKY',
  cookie_lifetime: 300,
  certificates: [] as number[],
  redirect_http: false,
  sticky_sessions: false,
  timeout_idle: 50,
}
const usualCheckHttp = { domain: '', path: '/', response: '', status_codes: ['2??', '3??'], tls: false }
const usualCheck = { interval: 15, timeout: 10, retries: 3 }

/** Changes the services, and shows them once the change is in force. */
async function change(world: World, id: number, path: string, body: object): Promise<Answer['body']> {
  const { action } = await done(command(world.api, id, path, body))
  assert.deepEqual([action.command, action.resources], [path, [{ id, type: 'load_balancer' }]])
  await world.settle()
  return (await balancerOf(world.api, id)).services
}

const servicesOf = ({ simulation }: World, id: number) => simulation.world.loadBalancers.get(id)!.state.services

forProjects('Services of Load Balancers', (open) => {
  test('by tcp it needs both ports, and has a health check by tcp and nothing about HTTP', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const asked = { protocol: 'tcp', listen_port: 80, destination_port: 8080 }
    assert.deepEqual(await change(world, id, 'add_service', asked), [
      { ...asked, proxyprotocol: false, health_check: { protocol: 'tcp', port: 8080, ...usualCheck } },
    ])
    refused(await command(world.api, id, 'add_service', { protocol: 'tcp' }), 'listen_port', 'destination_port')
    refused(await command(world.api, id, 'add_service', { protocol: 'tcp', listen_port: 81 }), 'destination_port')
    refused(await command(world.api, id, 'add_service', { ...tcp(81), http: {} }), 'http')
    refused(await command(world.api, id, 'add_service', { listen_port: 81 }), 'protocol')
    assertNames(await command(world.api, id, 'add_service', { ...tcp(0) }), 'listen_port')
    refused(
      await command(world.api, id, 'add_service', { ...tcp(81), health_check: { protocol: 'tcp', http: {} } }),
      'health_check.http',
    )
  })

  test('by http and https it has all defaults, https the port 443 and a certificate', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const certificates = [await makeCertificate(world)]
    const [http] = await change(world, id, 'add_service', { protocol: 'http' })
    const usual = { destination_port: 80, proxyprotocol: false }
    const health_check = { protocol: 'http', port: 80, ...usualCheck, http: usualCheckHttp }
    assert.deepEqual(http, { protocol: 'http', listen_port: 80, ...usual, http: usualHttp, health_check })
    const [, https] = await change(world, id, 'add_service', { protocol: 'https', http: { certificates } })
    const secured = { ...usualHttp, certificates }
    assert.deepEqual(https, { protocol: 'https', listen_port: 443, ...usual, http: secured, health_check })
    refused(await command(world.api, id, 'add_service', { protocol: 'https', listen_port: 8443 }), 'http.certificates')
    refused(
      await command(world.api, id, 'add_service', {
        protocol: 'http',
        listen_port: 81,
        http: { certificates, redirect_http: true },
      }),
      'http.certificates',
      'http.redirect_http',
    )
  })

  test('what a request names is taken, null counts as left out, and the domain of a check may be null', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const http = {
      cookie_name: 'keks',
      cookie_lifetime: 60,
      certificates: [],
      sticky_sessions: true,
      timeout_idle: 300,
    }
    const checkHttp = { domain: 'a.example', path: '/up?x=1', response: 'fine', status_codes: ['200', '4*'], tls: true }
    const health_check = { protocol: 'http', port: 9000, interval: 60, timeout: 60, retries: 10, http: checkHttp }
    const asked = { protocol: 'http', listen_port: 8080, destination_port: 9, proxyprotocol: true, http, health_check }
    const wanted = { ...asked, http: { ...http, redirect_http: false } }
    assert.deepEqual(await change(world, id, 'add_service', asked), [wanted])
    const nothing = { protocol: null, destination_port: null, proxyprotocol: null, http: null, health_check: null }
    assert.deepEqual(await change(world, id, 'update_service', { listen_port: 8080, ...nothing }), [wanted])
    const nulls = {
      http: { cookie_name: null, cookie_lifetime: null, certificates: null, sticky_sessions: null, timeout_idle: null },
      health_check: { port: null, http: { domain: null, path: null, response: null, status_codes: null, tls: null } },
    }
    const [after] = await change(world, id, 'update_service', { listen_port: 8080, ...nulls })
    assert.deepEqual(after.http, wanted.http)
    assert.deepEqual(after.health_check, { ...health_check, http: { ...checkHttp, domain: '' } })
  })

  test('an update changes what it names, within the health check too, and nothing else', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [{ protocol: 'http' }, tcp(25)] })
    const update = async (more: object) => (await change(world, id, 'update_service', { listen_port: 80, ...more }))[0]
    const [before, other] = (await balancerOf(world.api, id)).services
    const changed = await update({ health_check: { retries: 5, http: { path: '/up' } } })
    const check = { ...before.health_check, retries: 5, http: { ...usualCheckHttp, path: '/up' } }
    assert.deepEqual(changed, { ...before, health_check: check })
    assert.deepEqual(await update({ http: { sticky_sessions: true } }), {
      ...changed,
      http: { ...usualHttp, sticky_sessions: true },
    })
    const moved = await update({ destination_port: 8080 })
    assert.deepEqual([moved.destination_port, moved.health_check], [8080, check])
    const services = (await balancerOf(world.api, id)).services
    assert.deepEqual(services[1], other)
    const [known] = servicesOf(world, id)
    assert.deepEqual([known?.destinationPort, known?.healthCheck.http?.path], [8080, '/up'])
    refused(await command(world.api, id, 'update_service', { listen_port: 81, destination_port: 1 }), 'listen_port')
  })

  test('from tcp to http it gets what is about HTTP and keeps its health check, and back it loses it', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [tcp(80)] })
    const update = async (more: object) => (await change(world, id, 'update_service', { listen_port: 80, ...more }))[0]
    const health_check = { protocol: 'tcp', port: 80, ...usualCheck }
    const http = await update({ protocol: 'http' })
    assert.deepEqual([http.protocol, http.http, http.health_check], ['http', usualHttp, health_check])
    const checked = await update({ health_check: { protocol: 'http' } })
    assert.deepEqual(checked.health_check, { ...health_check, protocol: 'http', http: usualCheckHttp })
    const tcpAgain = await update({ protocol: 'tcp', health_check: { protocol: 'tcp' } })
    assert.deepEqual(tcpAgain, { ...tcp(80), proxyprotocol: false, health_check })
    refused(await command(world.api, id, 'update_service', { listen_port: 80, protocol: 'https' }), 'http.certificates')
  })

  test('from https to http it loses its certificates and its redirect', async () => {
    const world = await open()
    const certificates = [await makeCertificate(world)]
    const http = { certificates, redirect_http: true }
    const id = await makeBalancer(world, { services: [{ protocol: 'https', http }] })
    const [service] = await change(world, id, 'update_service', { listen_port: 443, protocol: 'http' })
    assert.deepEqual(service.http, usualHttp)
    assert.deepEqual((await done(world.api.get(`/certificates/${certificates[0]}`))).certificate.used_by, [])
  })

  test('a port has one service, and one that redirects HTTP has the port 80 as well', async () => {
    const world = await open()
    const certificates = [await makeCertificate(world)]
    const https = { protocol: 'https', http: { certificates, redirect_http: true } }
    const id = await makeBalancer(world, { services: [https] })
    for (const taken of [tcp(443), tcp(80), { protocol: 'http' }]) {
      expect(await command(world.api, id, 'add_service', taken), 412, 'source_port_already_used')
    }
    await change(world, id, 'update_service', { listen_port: 443, http: { redirect_http: false } })
    await change(world, id, 'add_service', tcp(80))
    const again = { listen_port: 443, http: { redirect_http: true } }
    expect(await command(world.api, id, 'update_service', again), 422, 'source_port_already_used')
    await change(world, id, 'delete_service', { listen_port: 80 })
    const [service] = await change(world, id, 'update_service', again)
    assert.equal(service.http.redirect_http, true)
    const both = balancerBody({ services: [tcp(80), https] })
    expect(await world.api.post('/load_balancers', both), 412, 'source_port_already_used')
    refused(await command(world.api, id, 'delete_service', { listen_port: 80 }), 'listen_port')
  })

  test('its certificates are those of the Project, each once, and are in use as long as it names them', async () => {
    const world = await open()
    const [first, second] = [await makeCertificate(world), await makeCertificate(world)]
    const id = await makeBalancer(world)
    const asked = { protocol: 'https', http: { certificates: [first, first] } }
    assert.deepEqual((await change(world, id, 'add_service', asked))[0].http.certificates, [first])
    const usersOf = async (one: number) => (await done(world.api.get(`/certificates/${one}`))).certificate.used_by
    const user = { id, type: 'load_balancer' }
    assert.deepEqual([await usersOf(first), await usersOf(second)], [[user], []])
    expect(await world.api.delete(`/certificates/${first}`), 422, 'service_error')
    await change(world, id, 'update_service', { listen_port: 443, http: { certificates: [second] } })
    assert.deepEqual([await usersOf(first), await usersOf(second)], [[], [user]])
    assert.deepEqual(
      servicesOf(world, id)[0]?.http?.certificates.map((one) => one.id),
      [second],
    )
    await change(world, id, 'delete_service', { listen_port: 443 })
    expect(await world.api.delete(`/certificates/${second}`), 204)
    const unknown = { protocol: 'https', http: { certificates: [second] } }
    assertNames(await command(world.api, id, 'add_service', unknown), 'http.certificates')
    const elsewhere = await makeCertificate({ api: world.foreign })
    const theirs = { protocol: 'https', http: { certificates: [elsewhere] } }
    assertNames(await command(world.api, id, 'add_service', theirs), 'http.certificates')
    assertNames(await world.api.post('/load_balancers', balancerBody({ services: [tcp(80), unknown] })), 'services')
  })

  test('bounds hold on both sides, and the field that breaks one is named', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [{ protocol: 'http' }] })
    const update = (more: object) => command(world.api, id, 'update_service', { listen_port: 80, ...more })
    const good: object[] = [
      { http: { timeout_idle: 30 } },
      { http: { timeout_idle: 300 } },
      { health_check: { interval: 3, timeout: 3 } },
      { health_check: { interval: 60, timeout: 1 } },
      { health_check: { http: { domain: '', path: '/a%20b', status_codes: ['?00', '2*', '*'] } } },
    ]
    for (const more of good) {
      expect(await update(more), 201)
      await world.settle()
    }
    const bad: [string, object][] = [
      ['http.timeout_idle', { http: { timeout_idle: 29 } }],
      ['http.timeout_idle', { http: { timeout_idle: 301 } }],
      ['http.cookie_name', { http: { cookie_name: 'a b' } }],
      ['http.cookie_name', { http: { cookie_name: '' } }],
      ['http.cookie_lifetime', { http: { cookie_lifetime: 0 } }],
      ['destination_port', { destination_port: 65_536 }],
      ['health_check.interval', { health_check: { interval: 2 } }],
      ['health_check.interval', { health_check: { interval: 61 } }],
      ['health_check.timeout', { health_check: { interval: 5, timeout: 6 } }],
      ['health_check.retries', { health_check: { retries: 0 } }],
      ['health_check.http.domain', { health_check: { http: { domain: 'a b' } } }],
      ['health_check.http.domain', { health_check: { http: { domain: 'a%b' } } }],
      ['health_check.http.domain', { health_check: { http: { domain: 'a\\b' } } }],
      ['health_check.http.path', { health_check: { http: { path: 'up' } } }],
      ['health_check.http.path', { health_check: { http: { path: '/a b' } } }],
      ['health_check.http.response', { health_check: { http: { response: 'a\nb' } } }],
      ['health_check.http.status_codes', { health_check: { http: { status_codes: [] } } }],
      ['health_check.http.status_codes', { health_check: { http: { status_codes: ['200', 'x'] } } }],
    ]
    for (const [field, more] of bad) assertNames(await update(more), field)
    refused(await command(world.api, id, 'update_service', { destination_port: 81 }), 'listen_port')
  })

  test('there are as many as the type allows, with as many certificates', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [1, 2, 3, 4, 5].map(tcp) })
    const sixth = await command(world.api, id, 'add_service', tcp(6))
    expect(sixth, 403, 'resource_limit_exceeded')
    assert.deepEqual(sixth.body.error.details, { limits: [{ name: 'load_balancer_services' }] })
    assert.equal(sixth.body.error.message, 'a load balancer cannot have more than 5 services')
    const certificates: number[] = []
    for (let made = 0; made < 11; made++) certificates.push(await makeCertificate(world))
    const services = [{ protocol: 'https', http: { certificates } }]
    const tooMany = await world.api.post('/load_balancers', balancerBody({ services }))
    expect(tooMany, 403, 'resource_limit_exceeded')
    assert.deepEqual(tooMany.body.error.details, { limits: [{ name: 'load_balancer_certificates' }] })
    expect(await world.api.post('/load_balancers', balancerBody({ load_balancer_type: 'lb21', services })), 201)
  })

  test('can go and change where the type has become too small for them, and none is added', async () => {
    const world = await open()
    const services = Array.from({ length: 6 }, (_, index) => tcp(index + 1))
    const id = await makeBalancer(world, { load_balancer_type: 'lb21', services })
    // As if the operator had made the type smaller.
    const all = acrossProjects(world.db.query).updateTable('load_balancer')
    await all.set({ load_balancer_type: 1 }).where('id', '=', id).execute()
    expect(await command(world.api, id, 'add_service', tcp(7)), 403, 'resource_limit_exceeded')
    await change(world, id, 'update_service', { listen_port: 6, destination_port: 81 })
    assert.equal((await change(world, id, 'delete_service', { listen_port: 6 })).length, 5)
  })
})
