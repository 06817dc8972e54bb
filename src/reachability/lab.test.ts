import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { engineOf, forProjects } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { guard } from '../families/firewalls/proof.ts'
import { cloudSubnet, makeNetwork } from '../families/networks/proof.ts'
import {
  answer,
  anywhere,
  ask,
  inside,
  type Json,
  makeServer,
  outside,
  type Question,
  ssh,
  unreachable,
} from './proof.ts'

forProjects('reachability', (open) => {
  test('names the rule that lets a packet through, and the filter that stops it', async () => {
    const world = await open({ runActions: false })
    const web = await makeServer(world, 'web')
    await guard(world, 'guard', [ssh], [web])
    const address = web.public_net.ipv4.ip
    const question = { from: outside, to: address, protocol: 'tcp', port: 22 } as const
    assert.deepEqual(await answer(world, question), {
      reachable: true,
      path: 'public',
      decided_by: {
        type: 'rule',
        server: web.id,
        network: null,
        direction: 'in',
        rule: { protocol: 'tcp', port: '22', networks: anywhere },
      },
      explanation: `An inbound rule of server ${web.id} accepts tcp port 22 from 0.0.0.0/0, ::/0. ${outside} reaches ${address}.`,
    })
    const refused = await answer(world, { ...question, port: 80 })
    assert.deepEqual(
      [refused.reachable, refused.path, refused.decided_by.type, refused.decided_by.direction],
      [false, null, 'filter', 'in'],
    )
    assert.match(refused.explanation, /^No inbound rule of the firewalls of server \d+ accepts it from 8/)
  })

  test('without a firewall everything passes, unless a server is off', async () => {
    const world = await open({ runActions: false })
    const [one, other] = [await makeServer(world, 'one'), await makeServer(world, 'other')]
    const question = { from: `server:${one.id}`, to: `server:${other.id}`, protocol: 'icmp' } as const
    const open2 = await answer(world, question)
    assert.deepEqual([open2.reachable, open2.decided_by.type], [true, 'nothing'])
    await done(world.api.post(`/servers/${other.id}/actions/poweroff`))
    await world.settle()
    const off = await answer(world, question)
    assert.deepEqual([off.reachable, off.decided_by.type, off.decided_by.server], [false, 'power', other.id])
    assert.equal(off.explanation, `Server ${other.id} is off.`)
  })

  test('an outbound rule decides what leaves', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, 'quiet')
    await guard(
      world,
      'dns-only',
      [{ direction: 'out', protocol: 'udp', port: '53', destination_ips: ['9.9.9.9/32'] }],
      [server],
    )
    const question = { from: `server:${server.id}`, to: '9.9.9.9', protocol: 'udp', port: 53 } as const
    const allowed = await answer(world, question)
    assert.deepEqual([allowed.reachable, allowed.decided_by.direction], [true, 'out'])
    assert.match(allowed.explanation, /reaches 9\.9\.9\.9, which is not a server of this Project\.$/)
    assert.equal((await answer(world, { ...question, to: '9.9.9.10' })).decided_by.type, 'filter')
  })

  test('a Floating IP leads to the server that has it, and nowhere without one', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, 'holder')
    const { floating_ip: given } = await done(
      world.api.post('/floating_ips', { type: 'ipv4', server: server.id, name: 'floating' }),
    )
    await world.settle()
    const question = { from: outside, to: given.ip, protocol: 'tcp', port: 443 } as const
    assert.equal((await answer(world, question)).reachable, true)
    await done(world.api.post(`/floating_ips/${given.id}/actions/unassign`))
    await world.settle()
    const nowhere = await answer(world, question)
    assert.deepEqual([nowhere.reachable, nowhere.decided_by.type], [false, 'address'])
    assert.equal(nowhere.explanation, `No server has the address ${given.ip}.`)
  })

  test('tells nothing about servers of another Project', async () => {
    const world = await open({ runActions: false })
    const theirs = await makeServer({ ...world, api: world.foreign }, 'theirs')
    const ours = await makeServer(world, 'ours')
    await done(world.foreign.post(`/servers/${theirs.id}/actions/poweroff`))
    await world.settle()
    const unknown = await ask(world, world.api, { from: `server:${theirs.id}`, to: outside, protocol: 'icmp' })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'not_found'])
    const { ip } = theirs.public_net.ipv4
    const blind = await answer(world, { from: `server:${ours.id}`, to: ip, protocol: 'icmp' })
    assert.deepEqual([blind.reachable, blind.decided_by.server], [true, null])
  })

  test('refuses bad questions by naming the field, strangers, and methods that are not there', async () => {
    const world = await open({ runActions: false })
    const good = { from: outside, to: '192.0.2.1', protocol: 'tcp', port: 22 }
    const cases: readonly (readonly [object, string])[] = [
      [{ ...good, from: 'server:x' }, 'from'],
      [{ ...good, to: '300.1.1.1' }, 'to'],
      [{ ...good, to: 'x'.repeat(200) }, 'to'],
      [{ ...good, protocol: 'sctp' }, 'protocol'],
      [{ ...good, port: 0 }, 'port'],
      [{ ...good, port: 65_536 }, 'port'],
      [{ ...good, protocol: 'icmp' }, 'port'],
      [{ from: outside, to: '192.0.2.1', protocol: 'udp' }, 'port'],
      [{ to: '192.0.2.1', protocol: 'icmp' }, 'from'],
    ]
    for (const [question, field] of cases) {
      const { status, body } = await ask(world, world.api, question)
      assert.deepEqual([status, body.error.code], [422, 'invalid_input'])
      assert.deepEqual(
        body.error.details.fields.map(({ name }: Json) => name),
        [field],
      )
    }
    assert.equal((await ask(world, world.anonymous, good)).status, 401)
    assert.equal((await ask(world, world.readOnly, good)).status, 200)
    const posted = await world.api.post(`${new URL(world.baseUrl).origin}/wolke/v1/reachability`)
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
    assert.equal((await world.api.get('/reachability')).status, 404)
  })

  test('a process that has handed over nothing itself answers alike', async ({ fullName }) => {
    const folder = mkdtempSync(join(tmpdir(), 'wolke-test-'))
    try {
      const file = { database: { engine: 'sqlite', path: join(folder, 'wolke.db') } as const }
      const first = await open({ alone: true, runActions: false, ...(engineOf(fullName) === 'sqlite' ? file : {}) })
      const server = await makeServer(first, 'kept')
      await guard(first, 'guard', [ssh], [server])
      const questions: Question[] = [22, 23].map(
        (port) => ({ from: outside, to: server.public_net.ipv4.ip, protocol: 'tcp', port }) as const,
      )
      const network = await makeNetwork(first, {
        subnets: [cloudSubnet('10.0.1.0/24')],
        routes: [{ destination: '10.7.0.0/16', gateway: '10.0.1.2' }],
      })
      const [sender] = [
        await inside(first, 'sender', [network], unreachable),
        await inside(first, 'gateway', [network]),
      ]
      for (const to of ['10.0.1.2', '10.7.0.1']) questions.push({ from: `server:${sender.id}`, to, protocol: 'icmp' })
      const answers = await Promise.all(questions.map((question) => answer(first, question)))
      assert.deepEqual(
        answers.map(({ reachable }) => reachable),
        [true, false, true, true],
      )
      await first.stop()
      const second = await open({ runActions: false, database: first.database })
      assert.deepEqual(await Promise.all(questions.map((question) => answer(second, question))), answers)
      await second.stop()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
