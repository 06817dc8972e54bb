import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { guard } from '../families/firewalls/proof.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from '../families/networks/proof.ts'
import { answer, anywhere, ask, inside, outside, ssh, unreachable } from './proof.ts'

forProjects('reachability in private networks', (open) => {
  test('servers of a network reach each other there, past firewalls and without public addresses', async () => {
    const world = await open({ runActions: false })
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const [web, db] = [await inside(world, 'web', [network]), await inside(world, 'db', [network], unreachable)]
    await guard(world, 'closed', [ssh], [web])
    const question = { from: `server:${db.id}`, to: `server:${web.id}`, protocol: 'tcp', port: 5432 } as const
    assert.deepEqual(await answer(world, question), {
      reachable: true,
      path: 'private',
      decided_by: { type: 'nothing', server: null, network, direction: null, rule: null },
      explanation: `Network ${network} leads there, and no firewall filters in it. 10.0.1.2 reaches 10.0.1.1.`,
    })
    assert.equal((await answer(world, { ...question, from: '10.0.1.2', to: '10.0.1.1' })).path, 'private')
    const nobody = await answer(world, { ...question, to: '10.0.1.77' })
    assert.deepEqual([nobody.reachable, nobody.decided_by.type, nobody.decided_by.network], [false, 'address', network])
    const elsewhere = await answer(world, { ...question, to: '10.9.0.1' })
    assert.deepEqual([elsewhere.decided_by.type, elsewhere.decided_by.server], ['route', db.id])
    assert.match(elsewhere.explanation, /^No network of server \d+ leads to 10\.9\.0\.1, by its range or by a route\.$/)
    const fromOutside = await answer(world, { ...question, from: outside, to: '10.0.1.1' })
    assert.deepEqual([fromOutside.reachable, fromOutside.decided_by.type], [false, 'route'])
    const unheld = await answer(world, { ...question, from: '10.0.1.99' })
    assert.equal(unheld.explanation, 'No server has the address 10.0.1.99.')
    const outOf = await answer(world, { ...question, to: outside })
    assert.deepEqual([outOf.reachable, outOf.decided_by.type], [false, 'route'])
    await done(world.api.post(`/servers/${web.id}/actions/poweroff`))
    await world.settle()
    const off = await answer(world, { ...question, to: '10.0.1.1' })
    assert.deepEqual([off.decided_by.type, off.decided_by.server], ['power', web.id])
  })

  test('an alias address leads to its server, and the same address in several networks to the one meant', async () => {
    const world = await open({ runActions: false })
    const subnets = [cloudSubnet('10.0.1.0/24')]
    const networks = [await makeNetwork(world, { subnets }), await makeNetwork(world, { subnets })]
    const [first, second] = [await inside(world, 'a', [networks[0]!]), await inside(world, 'b', [networks[1]!])]
    const third = await inside(world, 'c', [networks[1]!])
    const aliases = { network: networks[1], alias_ips: ['10.0.1.50'] }
    await done(world.api.post(`/servers/${third.id}/actions/change_alias_ips`, aliases))
    await world.settle()
    const ping = { protocol: 'icmp' } as const
    const within = await answer(world, { from: '10.0.1.1', to: '10.0.1.50', ...ping })
    assert.deepEqual([within.reachable, within.decided_by.network], [true, networks[1]])
    const alone = await answer(world, { from: `server:${first.id}`, to: '10.0.1.50', ...ping })
    assert.deepEqual(
      [alone.reachable, alone.decided_by.type, alone.decided_by.network],
      [false, 'address', networks[0]],
    )
    const back = await answer(world, { from: '10.0.1.50', to: `server:${second.id}`, ...ping })
    assert.deepEqual([back.path, back.explanation.endsWith('10.0.1.50 reaches 10.0.1.1.')], ['private', true])
    const foreign = await ask(world, world.foreign, { from: '10.0.1.1', to: '10.0.1.50', ...ping })
    assert.equal(foreign.body.reachability.explanation, 'No server has the address 10.0.1.1.')
  })

  test('routes lead through the server that is their gateway: to another network, out of it, or to what is behind', async () => {
    const world = await open({ runActions: false })
    const near = await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const far = await makeNetwork(world, { ip_range: '10.1.0.0/16', subnets: [cloudSubnet('10.1.0.0/24')] })
    const router = await inside(world, 'router', [near, far])
    const [lonely, target] = [await inside(world, 'lonely', [near], unreachable), await inside(world, 'target', [far])]
    const ask4 = (to: string) => answer(world, { from: `server:${lonely.id}`, to, protocol: 'tcp', port: 80 })
    const addRoute = async (destination: string, gateway: string) => {
      await done(world.api.post(`/networks/${near}/actions/add_route`, { destination, gateway }))
      await world.settle()
    }
    assert.equal((await ask4(`server:${target.id}`)).decided_by.type, 'route')
    await addRoute('10.1.0.0/16', '10.0.1.1')
    const led = await answer(world, { from: `server:${lonely.id}`, to: `server:${target.id}`, protocol: 'icmp' })
    assert.deepEqual(
      [led.path, led.decided_by],
      ['private', { type: 'route', server: router.id, network: near, direction: null, rule: null }],
    )
    assert.match(
      led.explanation,
      /^The route of network \d+ to 10\.1\.0\.0\/16 leads to server \d+\. 10\.0\.1\.2 reaches/,
    )
    await addRoute('10.2.0.0/16', '10.0.1.1')
    assert.match((await ask4('10.2.0.9')).explanation, /behind server \d+ and not a server of this Project/)
    await addRoute('10.3.0.0/16', '10.0.1.200')
    const nobody = await ask4('10.3.0.9')
    assert.deepEqual([nobody.reachable, nobody.decided_by.type], [false, 'route'])
    assert.match(nobody.explanation, /leads to 10\.0\.1\.200, which no server has\.$/)
    assert.equal((await ask4(outside)).decided_by.type, 'route')
    await addRoute('0.0.0.0/0', '10.0.1.1')
    const out = await ask4(outside)
    assert.deepEqual(
      [out.path, out.explanation.includes(`${router.public_net.ipv4.ip} reaches ${outside}`)],
      ['public', true],
    )
    await guard(world, 'closed', [{ ...ssh, direction: 'out', source_ips: [], destination_ips: anywhere }], [router])
    const filtered = await ask4(outside)
    assert.deepEqual(
      [filtered.reachable, filtered.decided_by.type, filtered.decided_by.server],
      [false, 'filter', router.id],
    )
    await done(world.api.post(`/servers/${router.id}/actions/poweroff`))
    await world.settle()
    assert.deepEqual((await ask4('10.2.0.9')).decided_by.type, 'power')
  })

  test('two gateways that send a packet to each other are found out', async () => {
    const world = await open({ runActions: false })
    const networks = [
      await makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] }),
      await makeNetwork(world, { ip_range: '10.1.0.0/16', subnets: [cloudSubnet('10.1.0.0/24')] }),
    ]
    for (const name of ['one', 'two']) await inside(world, name, networks)
    const sender = await inside(world, 'sender', [networks[0]!])
    for (const [at, gateway] of ['10.0.1.1', '10.1.0.3'].entries()) {
      const route = { destination: '10.200.0.0/16', gateway }
      await done(world.api.post(`/networks/${networks[at]}/actions/add_route`, route))
      await world.settle()
    }
    const lost = await answer(world, { from: `server:${sender.id}`, to: '10.200.0.1', protocol: 'icmp' })
    assert.deepEqual([lost.reachable, lost.decided_by.type], [false, 'route'])
    assert.match(lost.explanation, /It has been there before\.$/)
  })

  test('a network may use a range from which the installation gives out its public addresses', async () => {
    const world = await open({ runActions: false, addressPool: ['10.0.0.0/8', '2001:db8::/32'] })
    const network = await makeNetwork(world, { subnets: [cloudSubnet('10.0.77.0/24')] })
    const [one, two] = [await inside(world, 'one', [network]), await inside(world, 'two', [network])]
    const question = { from: `server:${one.id}`, protocol: 'icmp' } as const
    assert.equal((await answer(world, { ...question, to: two.private_net[0].ip })).path, 'private')
    assert.equal((await answer(world, { ...question, to: two.public_net.ipv4.ip })).path, 'public')
    assert.equal(
      (await answer(world, { ...question, to: '10.250.0.1' })).explanation,
      'No server has the address 10.250.0.1.',
    )
  })

  test('what lies behind a vSwitch is outside', async () => {
    const world = await open({ runActions: false, catalogue: vswitchCatalogue })
    const subnets = [cloudSubnet('10.0.1.0/24'), vswitchSubnet('10.0.3.0/24')]
    const server = await inside(world, 'server', [await makeNetwork(world, { subnets })])
    const beyond = await answer(world, { from: `server:${server.id}`, to: '10.0.3.7', protocol: 'icmp' })
    assert.equal(beyond.path, 'private')
    assert.match(beyond.explanation, /10\.0\.1\.1 reaches 10\.0\.3\.7, which is behind vSwitch 4711 and not a server/)
  })
})
