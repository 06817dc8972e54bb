import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { simulate } from '../../../families.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { cloudSubnet, makeNetwork } from '../../networks/proof.ts'
import { makeServer, command as ofServer } from '../../servers/proof.ts'
import type { Health, Observation } from '../driver.ts'
import { observe } from '../observe.ts'
import { balancerOf, makeBalancer, tcp, toSelector, toServer } from '../proof.ts'

const healthOf = async ({ api }: World, id: number) => (await balancerOf(api, id)).targets[0].health_status

const fine = [{ listen_port: 25, status: 'healthy' }]
const silent = [{ listen_port: 25, status: 'unhealthy', detail: 'layer4_timeout' }]

forProjects('The health of targets', (open, inProcesses) => {
  test('is unknown at first, one entry for each service, and follows the power of the server', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world)
    const targets = [toServer(server)]
    const { load_balancer } = await done(
      world.api.post('/load_balancers', {
        name: 'b',
        load_balancer_type: 'lb11',
        location: 'fsn1',
        targets,
        services: [tcp(25), tcp(26)],
      }),
    )
    assert.deepEqual(load_balancer.targets[0].health_status, [
      { listen_port: 25, status: 'unknown' },
      { listen_port: 26, status: 'unknown' },
    ])
    await world.settle()
    const { id } = load_balancer
    assert.deepEqual(await healthOf(world, id), [...fine, { listen_port: 26, status: 'healthy' }])
    await done(ofServer(world.api, server, 'poweroff'))
    await world.settle()
    assert.deepEqual(await healthOf(world, id), [...silent, { ...silent[0], listen_port: 26 }])
    const { load_balancer: renamed } = await done(world.api.put(`/load_balancers/${id}`, { name: 'c' }))
    assert.equal(renamed.targets[0].health_status[0].status, 'unhealthy')
  })

  test('follows the packet filter in front of public addresses, and not within a network', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const server = await makeServer(world, { networks: [network], labels: { role: 'web' } })
    const services = [tcp(25)]
    const outside = await makeBalancer(world, { services, targets: [toServer(server)] })
    const inside = await makeBalancer(world, { services, network, targets: [toServer(server, true)] })
    const selected = await makeBalancer(world, { services, targets: [toSelector('role=web')] })
    const apply_to = [{ type: 'server', server: { id: server } }]
    const { firewall } = await done(world.api.post('/firewalls', { name: 'f', rules: [], apply_to }))
    await world.settle()
    const [{ targets }] = (await balancerOf(world.api, selected)).targets
    assert.deepEqual(
      [await healthOf(world, outside), await healthOf(world, inside), targets[0].health_status],
      [silent, fine, silent],
    )
    const rules = [{ direction: 'in', protocol: 'tcp', port: '80', source_ips: ['0.0.0.0/0'] }]
    await done(world.api.post(`/firewalls/${firewall.id}/actions/set_rules`, { rules }))
    await world.settle()
    assert.deepEqual(await healthOf(world, outside), fine)
  })

  test('has the cause only while a target is unhealthy, and a status only with an unexpected one', async () => {
    const world = await open()
    const server = await makeServer(world)
    const id = await makeBalancer(world, { services: [tcp(25)], targets: [toServer(server)] })
    const { observe } = world.simulation.drivers.loadBalancers
    const cases: [Health, object][] = [
      [{ status: 'unknown' }, { status: 'unknown' }],
      [{ status: 'healthy' }, { status: 'healthy' }],
      [
        { status: 'unhealthy', detail: 'layer7_timeout', httpStatusCode: null },
        { status: 'unhealthy', detail: 'layer7_timeout' },
      ],
      [
        { status: 'unhealthy', detail: 'unexpected_http_status', httpStatusCode: 503 },
        { status: 'unhealthy', detail: 'unexpected_http_status', http_status_code: 503 },
      ],
    ]
    for (const [health, shown] of cases) {
      world.simulation.drivers.loadBalancers.observe = async (ids) => {
        const seen = [...(await observe(ids))].map(([one, observation]): [number, Observation] => [
          one,
          { ...observation, health: observation.health.map((known) => ({ ...known, health })) },
        ])
        return new Map(seen)
      }
      assert.deepEqual(await healthOf(world, id), [{ listen_port: 25, ...shown }])
    }
  })

  test('is unknown while the data plane does not answer', async () => {
    const world = await open({ alone: true })
    const id = await makeBalancer(world, { services: [tcp(25)], targets: [toServer(await makeServer(world))] })
    world.simulation.drivers.loadBalancers.observe = async () => {
      throw new DriverError('no answer', { transient: true })
    }
    const calls = world.simulation.record()
    assert.deepEqual(await healthOf(world, id), [{ listen_port: 25, status: 'unknown' }])
    const { ingoing_traffic, outgoing_traffic } = await balancerOf(world.api, id)
    assert.deepEqual([ingoing_traffic, outgoing_traffic], [null, null], 'no traffic would be another statement')
    assert.deepEqual(
      calls.filter(({ method }) => method === 'apply'),
      [],
      'readers hand nothing over to what does not answer',
    )
  })

  test('comes with the traffic of the month', async () => {
    const world = await open({ alone: true })
    const id = await makeBalancer(world, { services: [tcp(25)], targets: [toServer(await makeServer(world))] })
    world.clock.advance(60_000)
    const { ingoing_traffic, outgoing_traffic } = await balancerOf(world.api, id)
    assert.ok(ingoing_traffic > 0 && outgoing_traffic > ingoing_traffic)
    world.clock.set('2026-12-01T00:00:00Z')
    assert.equal((await balancerOf(world.api, id)).ingoing_traffic, 0)
  })

  inProcesses(() => {
    test('is the same in a process whose data plane has yet to hear of the Load Balancer', async () => {
      const world = await open()
      const id = await makeBalancer(world, { services: [tcp(25)], targets: [toServer(await makeServer(world))] })
      const second = await open({ database: world.database, clock: world.clock })
      assert.deepEqual(await healthOf(second, id), fine)
    })
  })

  test('is seen again after a restart, also beside a Load Balancer that cannot be handed over', async () => {
    const world = await open({ alone: true })
    const server = await makeServer(world)
    const more = { services: [tcp(25)], targets: [toServer(server)] }
    const [lost, found] = [await makeBalancer(world, more), await makeBalancer(world, more)]
    const restarted = simulate({ delayMs: 0, clock: world.clock })
    restarted.behave(({ driver, subject }) =>
      driver === 'loadBalancers' && subject === lost ? 'error before effect' : undefined,
    )
    const { loadBalancers } = restarted.drivers
    const query = world.db.query
    const row = await acrossProjects(query).selectFrom('load_balancer').select('project_id').executeTakeFirstOrThrow()
    const scope = { projectId: row.project_id }
    const { secrets, simulation } = world
    const drivers = { ...simulation.drivers, ...restarted.drivers, loadBalancers } as never
    const seen = await observe({ query, scope, secrets, drivers }, [lost, found])
    assert.deepEqual([...seen.keys()], [found])
    assert.deepEqual(
      seen.get(found)?.health.map(({ health }) => health),
      [{ status: 'healthy' }],
    )
  })
})
