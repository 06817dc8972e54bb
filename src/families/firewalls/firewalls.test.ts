import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/consistency.ts'
import { type Answer, type Client, forEachDatabase, type World } from '../../../test/harness.ts'
import { expect, settleAll } from '../../../test/resources.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { newServer, privateOnly, serverBody } from '../servers/proof.ts'
import { allow, newFirewall, toSelector, toServer } from './proof.ts'

interface Named {
  readonly name: string
}

interface WireAction {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly resources: readonly { id: number; type: string }[]
}

const fieldsOf = (answer: Answer): string[] => answer.body.error.details.fields.map((field: Named) => field.name)

/** Commands with the resources they name, without the ids of selectors, which nobody can know. */
const told = (actions: readonly WireAction[]) =>
  actions.map(({ command, resources }) => [
    command,
    ...resources.map(({ type, id }) => (type === 'label_selector' ? type : `${type} ${id}`)),
  ])

const appliedTo = async (api: Client, id: number) => (await api.get(`/firewalls/${id}`)).body.firewall.applied_to

const bySelector = (selector: string, ...servers: number[]) => ({
  ...toSelector(selector),
  applied_to_resources: servers.map(toServer),
})

const apply = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: targets })

const remove = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/remove_from_resources`, { remove_from: targets })

const setRules = (api: Client, id: number, rules: unknown[]) =>
  api.post(`/firewalls/${id}/actions/set_rules`, { rules })

/** The inbound ports that are open at a server now; undefined when it has no filter. */
const openPorts = ({ simulation }: World, id: number) =>
  simulation.world.filters.get(id)?.inbound.accept.flatMap(({ ports }) => (ports ? [ports.first] : []))

/** The newest actions that name a server. */
const actionsOf = async (api: Client, id: number): Promise<WireAction[]> =>
  (await api.get(`/servers/${id}/actions?sort=id`)).body.actions

forEachDatabase('firewalls', (open) => {
  test('a server looks at few of many selectors, and finds every one that matches it', async () => {
    const { api, db } = await open({ runActions: false })
    const selectors = Array.from({ length: 60 }, (_, i) => `env=prod,app=app-${i}`)
    for (const [i, selector] of selectors.entries()) {
      await newFirewall(api, `f${i}`, { apply_to: [toSelector(selector)] })
    }
    const odd = ['!gone', 'app in (app-7,app-8)', 'env', 'env!=dev,tier']
    const found = []
    for (const selector of odd)
      found.push(await newFirewall(api, selector.slice(0, 6), { apply_to: [toSelector(selector)] }))
    const terms = await acrossProjects(db.query).selectFrom('firewall_application').select('leading_term').execute()
    const counts = Map.groupBy(terms, ({ leading_term }) => leading_term)
    assert.ok(Math.max(...[...counts.values()].map(({ length }) => length)) <= 2)
    const labels = { env: 'prod', app: 'app-7', tier: 'web' }
    const { server } = expect(await api.post('/servers', serverBody('a', { labels })), 201).body
    const has = server.public_net.firewalls.map(({ id }: { id: number }) => id)
    const { firewalls } = expect(await api.get('/firewalls?name=f7'), 200).body
    assert.deepEqual(has.toSorted(), [firewalls[0].id, ...found].toSorted())
  })

  test('a firewall has exactly the documented fields, and is gone after its deletion', async () => {
    const { api } = await open()
    const created = await api.post('/firewalls', { name: 'web', labels: { env: 'dev' }, rules: [allow('80')] })
    assert.equal(created.status, 201)
    const { firewall, actions } = created.body
    assert.deepEqual(firewall, {
      id: firewall.id,
      name: 'web',
      labels: { env: 'dev' },
      created: '2026-11-21T12:00:00Z',
      rules: [
        {
          direction: 'in',
          protocol: 'tcp',
          port: '80',
          source_ips: ['0.0.0.0/0', '::/0'],
          destination_ips: [],
          description: null,
        },
      ],
      applied_to: [],
    })
    assert.deepEqual(told(actions), [['set_firewall_rules', `firewall ${firewall.id}`]])
    assert.equal(actions[0].status, 'success')
    assert.deepEqual((await api.get(`/firewalls/${firewall.id}`)).body, { firewall })
    assert.deepEqual((await api.get('/firewalls')).body.firewalls, [firewall])
    const bare = expect(await api.post('/firewalls', { name: 'bare', rules: null, apply_to: null }), 201)
    assert.deepEqual([bare.body.firewall.labels, bare.body.firewall.rules], [{}, []])
    expect(await api.delete(`/firewalls/${firewall.id}`), 204)
    for (const answer of [
      await api.get(`/firewalls/${firewall.id}`),
      await api.delete(`/firewalls/${firewall.id}`),
      await api.put(`/firewalls/${firewall.id}`, { name: 'x' }),
      await setRules(api, firewall.id, []),
      await apply(api, firewall.id),
      await remove(api, firewall.id),
      await api.get(`/firewalls/${firewall.id}/actions`),
    ]) {
      expect(answer, 404, 'not_found')
    }
    expect(await api.get(`/firewalls/actions/${actions[0].id}`), 200)
  })

  test('a name is there once in a Project, and has 1 to 128 characters', async () => {
    const { api, foreign } = await open()
    await newFirewall(api, 'a')
    const other = await newFirewall(api, 'b')
    for (const twin of [
      await api.post('/firewalls', { name: 'a' }),
      await api.put(`/firewalls/${other}`, { name: 'a' }),
    ]) {
      expect(twin, 409, 'uniqueness_error')
      assert.deepEqual(twin.body.error.details, { fields: [{ name: 'name' }] })
    }
    await newFirewall(foreign, 'a')
    await newFirewall(api, 'x'.repeat(128))
    for (const name of ['', 'x'.repeat(129), 5, null, undefined]) {
      const answer = expect(await api.post('/firewalls', { name }), 422, 'invalid_input')
      assert.equal(answer.body.error.message, "invalid input in field 'name'")
    }
  })

  test('labels cannot have the prefix of the installation; its subdomains are free', async () => {
    const { api } = await open()
    for (const key of ['wolke.cloud/a', 'WOLKE.cloud/a']) {
      const refused = expect(await api.post('/firewalls', { name: 'a', labels: { [key]: '' } }), 422, 'invalid_input')
      assert.deepEqual(fieldsOf(refused), ['labels'])
    }
    const labels = { 'x.wolke.cloud/a': '1', 'mywolke.cloud/a': '', 'wolke.cloud': '' }
    const id = await newFirewall(api, 'a', { labels })
    assert.deepEqual((await api.get(`/firewalls/${id}`)).body.firewall.labels, labels)
  })

  test('lists sort by id, name and creation, and filter by name and labels', async () => {
    const { api, foreign, clock } = await open()
    await newFirewall(api, 'b', { labels: { env: 'dev' } })
    clock.advance(1_000)
    await newFirewall(api, 'a', { labels: { env: 'prod', tier: '1' } })
    await newFirewall(foreign, 'c', { labels: { env: 'dev' } })
    const names = async (query: string) =>
      (await api.get(`/firewalls?${query}`)).body.firewalls.map((f: Named) => f.name)
    assert.deepEqual(await names(''), ['b', 'a'])
    assert.deepEqual(await names('sort=name'), ['a', 'b'])
    assert.deepEqual(await names('sort=created:desc'), ['a', 'b'])
    assert.deepEqual(await names('sort=id:desc'), ['a', 'b'])
    assert.deepEqual(await names('name=a'), ['a'])
    assert.deepEqual(await names('name=c'), [])
    assert.deepEqual(await names('label_selector=env%3Ddev'), ['b'])
    assert.deepEqual(await names('label_selector=env,!tier'), ['b'])
    assert.deepEqual((await api.get('/firewalls?per_page=1&page=2')).body.meta.pagination, {
      page: 2,
      per_page: 1,
      previous_page: 1,
      next_page: null,
      last_page: 2,
      total_entries: 2,
    })
    assert.deepEqual(fieldsOf(expect(await api.get('/firewalls?sort=rules'), 422, 'invalid_input')), ['sort'])
  })

  test('an update changes what it names, labels as a whole, and nothing else', async () => {
    const { api } = await open()
    const id = await newFirewall(api, 'a', { labels: { x: '1', y: '2' }, rules: [allow('80')] })
    const before = (await api.get(`/firewalls/${id}`)).body.firewall
    assert.deepEqual((await api.put(`/firewalls/${id}`, {})).body.firewall, before)
    const after = expect(await api.put(`/firewalls/${id}`, { name: 'b', labels: { y: '3' } }), 200).body.firewall
    assert.deepEqual(after, { ...before, name: 'b', labels: { y: '3' } })
    expect(await api.put(`/firewalls/${id}`, { labels: { '-': 'x' } }), 422, 'invalid_input')
    for (const field of ['rules', 'id', 'applied_to', 'created', 'version']) {
      expect(await api.put(`/firewalls/${id}`, { [field]: 1 }), 422, 'invalid_input')
    }
    assert.deepEqual((await api.get(`/firewalls/${id}`)).body.firewall, after)
  })

  test('who keeps losing against rivals hears conflict, and nothing of theirs is written', async () => {
    let rival: (() => Promise<unknown>) | undefined
    const faults = {
      reach: async (place: string) => void (place === 'update/firewall:before-write' && (await rival?.())),
    }
    const { api, db } = await open({ faults })
    const id = await newFirewall(api, 'a')
    let writes = 0
    rival = () =>
      db.transact((tx) =>
        acrossProjects(tx.query)
          .updateTable('firewall')
          .set({ name: `rival-${++writes}`, version: 1 + writes })
          .where('id', '=', id)
          .execute(),
      )
    expect(await api.put(`/firewalls/${id}`, { name: 'mine' }), 409, 'conflict')
    assert.equal(writes, 3)
    assert.equal((await api.get(`/firewalls/${id}`)).body.firewall.name, 'rival-3')
    let once = true
    rival = async () => {
      if (once)
        await db.transact((tx) => acrossProjects(tx.query).deleteFrom('firewall').where('id', '=', id).execute())
      once = false
    }
    expect(await api.put(`/firewalls/${id}`, { name: 'mine' }), 404, 'not_found')
  })

  test('rules come back inbound first, each direction in its order, networks in canonical form', async () => {
    const { api } = await open()
    const rules = [
      { direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0', '::/0'] },
      allow('22', ['28.239.13.1/32', '28.239.14.0/24', 'ff21:1eac:9a3b:ee58:05ca:990c:8bc9:c03b/128']),
      {
        direction: 'in',
        protocol: 'udp',
        port: 'any',
        source_ips: ['2A02:1234:10:0100::/64'],
        description: 'd'.repeat(255),
      },
      { direction: 'out', protocol: 'tcp', port: '1-65535', source_ips: [], destination_ips: ['10.0.0.0/8'] },
      { direction: 'out', protocol: 'esp', port: null, destination_ips: ['::/0'], description: '' },
      { direction: 'out', protocol: 'gre', source_ips: null, destination_ips: ['192.0.2.0/24'], description: null },
      allow('1024-5000'),
      allow('22'),
    ]
    // Inbound rules come first.
    const shown = (all: unknown[]) => [
      ...all.filter((rule) => (rule as { direction: string }).direction === 'in'),
      ...all.filter((rule) => (rule as { direction: string }).direction === 'out'),
    ]
    const full = { port: null, source_ips: [], destination_ips: [], description: null }
    const expected = [
      { ...full, ...rules[0] },
      {
        ...full,
        ...rules[1],
        source_ips: ['28.239.13.1/32', '28.239.14.0/24', 'ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128'],
      },
      { ...full, ...rules[2], source_ips: ['2a02:1234:10:100::/64'] },
      { ...full, ...rules[3] },
      { ...full, ...rules[4] },
      { ...full, ...rules[5], source_ips: [] },
      { ...full, ...rules[6] },
      { ...full, ...rules[7] },
    ]
    const { firewall } = expect(await api.post('/firewalls', { name: 'a', rules }), 201).body
    assert.deepEqual(firewall.rules, shown(expected))
    const set = expect(await setRules(api, firewall.id, rules.toReversed()), 201)
    assert.deepEqual(told(set.body.actions), [['set_firewall_rules', `firewall ${firewall.id}`]])
    assert.deepEqual((await api.get(`/firewalls/${firewall.id}`)).body.firewall.rules, shown(expected.toReversed()))
    // What was read can be written back as it is.
    expect(await setRules(api, firewall.id, expected), 201)
    assert.deepEqual((await api.get(`/firewalls/${firewall.id}`)).body.firewall.rules, shown(expected))
    expect(await setRules(api, firewall.id, []), 201)
    assert.deepEqual((await api.get(`/firewalls/${firewall.id}`)).body.firewall.rules, [])
  })

  test('a wrong rule is refused by its path, and nothing is written', async () => {
    const { api } = await open()
    const id = await newFirewall(api, 'a', { rules: [allow('80')] })
    const wide = (count: number) => Array.from({ length: count }, (_, i) => `10.0.${i}.0/24`)
    const rule = allow('80')
    const cases: [unknown[], string[]][] = [
      [[rule, { ...rule, port: '0' }], ['rules[1].port']],
      [[{ ...rule, port: undefined }], ['rules[0].port']],
      [[{ ...rule, port: 80 }], ['rules[0].port']],
      [[{ ...rule, protocol: 'icmp' }], ['rules[0].port']],
      [[{ ...rule, protocol: 'sctp' }], ['rules[0].protocol']],
      [[{ ...rule, protocol: undefined }], ['rules[0].protocol']],
      [[{ ...rule, direction: 'both' }], ['rules[0].direction']],
      [[{ ...rule, source_ips: undefined }], ['rules[0].source_ips']],
      [[{ ...rule, source_ips: ['10.0.0.1/8'] }], ['rules[0].source_ips[0]']],
      [[{ ...rule, source_ips: ['10.0.0.1'] }], ['rules[0].source_ips[0]']],
      [[{ ...rule, source_ips: [5] }], ['rules[0].source_ips[0]']],
      [[{ ...rule, source_ips: wide(101) }], ['rules[0].source_ips']],
      [[{ ...rule, destination_ips: ['10.0.0.0/8'] }], ['rules[0].destination_ips']],
      [[{ ...rule, description: 'd'.repeat(256) }], ['rules[0].description']],
      [[{ ...rule, extra: 1 }], ['rules[0].extra']],
      [Array.from({ length: 51 }, () => rule), ['rules']],
      [[...Array.from({ length: 5 }, () => allow('80', wide(100))), allow('80', ['::/0'])], ['rules']],
    ]
    for (const [rules, fields] of cases) {
      for (const answer of [await setRules(api, id, rules), await api.post('/firewalls', { name: 'b', rules })]) {
        expect(answer, 422, 'invalid_input')
        assert.deepEqual(fieldsOf(answer).slice(0, 1), fields, answer.text)
        if (!fields[0]?.endsWith('extra')) assert.equal(answer.body.error.message, "invalid input in field 'rules'")
      }
    }
    for (const body of [undefined, {}, { rules: null }, { rules: {} }]) {
      const answer = await api.post(`/firewalls/${id}/actions/set_rules`, body)
      assert.equal(expect(answer, 422, 'invalid_input').body.error.message, "invalid input in field 'rules'")
    }
    assert.equal((await api.get(`/firewalls/${id}`)).body.firewall.rules.length, 1)
    assert.equal((await api.get('/firewalls')).body.firewalls.length, 1)
    expect(
      await setRules(
        api,
        id,
        Array.from({ length: 50 }, () => rule),
      ),
      201,
    )
    expect(
      await setRules(
        api,
        id,
        Array.from({ length: 5 }, () => allow('80', wide(100))),
      ),
      201,
    )
  })

  test('applying to a server puts its rules in force there, removing takes them out again', async () => {
    const world = await open()
    const { api, simulation } = world
    const server = await newServer(api, 'web')
    await settleAll(world)
    assert.equal(simulation.world.filters.has(server), false)
    const web = await newFirewall(api, 'web', { rules: [allow('80')] })
    const ssh = await newFirewall(api, 'ssh', { rules: [allow('22')] })
    const applied = expect(await apply(api, web, toServer(server)), 201)
    assert.deepEqual(told(applied.body.actions), [['apply_firewall', `server ${server}`, `firewall ${web}`]])
    await apply(api, ssh, toServer(server))
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, web), [toServer(server)])
    assert.deepEqual(openPorts(world, server), [80, 22])
    assert.equal(simulation.world.filters.get(server)?.outbound.otherwise, 'accept')
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls, [
      { id: web, status: 'applied' },
      { id: ssh, status: 'applied' },
    ])
    const removed = expect(await remove(api, web, toServer(server)), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', `server ${server}`, `firewall ${web}`]])
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, web), [])
    assert.deepEqual(openPorts(world, server), [22])
    await remove(api, ssh, toServer(server))
    await settleAll(world)
    assert.equal(simulation.world.filters.get(server)?.inbound.otherwise, 'accept')
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls, [])
    await checkConsistency(world)
  })

  test('a firewall is pending until the infrastructure has confirmed it', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const server = await newServer(api, 'web')
    await settleAll(world)
    const firewall = await newFirewall(api, 'web', { apply_to: [toServer(server)] })
    const status = async () => (await api.get(`/servers/${server}`)).body.server.public_net.firewalls
    assert.deepEqual(await status(), [{ id: firewall, status: 'pending' }])
    await settleAll(world)
    assert.deepEqual(await status(), [{ id: firewall, status: 'applied' }])
    await setRules(api, firewall, [allow('80')])
    assert.deepEqual(await status(), [{ id: firewall, status: 'pending' }])
    await settleAll(world)
    assert.deepEqual(await status(), [{ id: firewall, status: 'applied' }])
  })

  test('new rules start an apply_firewall for each server; the same rules again start none', async () => {
    const world = await open()
    const { api, simulation } = world
    const direct = await newServer(api, 'a')
    const labelled = await newServer(api, 'b', { labels: { env: 'dev' } })
    const targets = [toServer(direct), toSelector('env=dev')]
    const created = expect(await api.post('/firewalls', { name: 'f', apply_to: targets }), 201)
    const { id, applied_to } = created.body.firewall
    assert.deepEqual(applied_to, [toServer(direct), bySelector('env=dev', labelled)])
    assert.deepEqual(told(created.body.actions), [
      ['set_firewall_rules', `firewall ${id}`],
      ['apply_firewall', `server ${direct}`, `firewall ${id}`],
      ['apply_firewall', `server ${labelled}`, `firewall ${id}`, 'label_selector'],
    ])
    const changed = expect(await setRules(api, id, [allow('80', ['2001:db8::/32'])]), 201)
    assert.deepEqual(told(changed.body.actions), [
      ['set_firewall_rules', `firewall ${id}`],
      ['apply_firewall', `server ${direct}`, `firewall ${id}`],
      ['apply_firewall', `server ${labelled}`, `firewall ${id}`],
    ])
    await settleAll(world)
    assert.deepEqual([openPorts(world, direct), openPorts(world, labelled)], [[80], [80]])
    const generations = () => [...simulation.world.filters.values()].map((filter) => filter.generation)
    const before = generations()
    const same = expect(await setRules(api, id, [allow('80', ['2001:0DB8::/32'])]), 201)
    assert.deepEqual(told(same.body.actions), [['set_firewall_rules', `firewall ${id}`]])
    await settleAll(world)
    assert.deepEqual(generations(), before)
    await checkConsistency(world)
  })

  test('empty arrays succeed and start nothing; arrays that are no arrays are refused by their name', async () => {
    const { api } = await open()
    const id = await newFirewall(api, 'a')
    assert.deepEqual(expect(await apply(api, id), 201).body, { actions: [] })
    assert.deepEqual(expect(await remove(api, id), 201).body, { actions: [] })
    const cases: [string, string][] = [
      ['apply_to_resources', 'apply_to'],
      ['remove_from_resources', 'remove_from'],
    ]
    for (const [action, field] of cases) {
      for (const body of [undefined, {}, { [field]: null }, { [field]: {} }, { [field]: [5] }]) {
        const answer = expect(await api.post(`/firewalls/${id}/actions/${action}`, body), 422, 'invalid_input')
        assert.equal(answer.body.error.message, `invalid input in field '${field}'`)
      }
      const wrong: [unknown, string][] = [
        [{ type: 'server' }, '.server'],
        [{ type: 'server', server: {} }, '.server'],
        [{ type: 'server', label_selector: { selector: 'x' } }, '.server'],
        [{ type: 'label_selector' }, '.label_selector'],
        [{ type: 'label_selector', label_selector: { selector: ' ' } }, '.label_selector.selector'],
        [{ type: 'label_selector', label_selector: { selector: 'a in (' } }, '.label_selector.selector'],
        [{ type: 'network', server: { id: 1 } }, '.type'],
        [{}, '.type'],
      ]
      for (const [target, path] of wrong) {
        const answer = await api.post(`/firewalls/${id}/actions/${action}`, { [field]: [target] })
        assert.ok(fieldsOf(expect(answer, 422, 'invalid_input'))[0]?.startsWith(`${field}[0]${path}`), answer.text)
      }
    }
  })

  test('what is applied already is refused, twice in one request too, and nothing of the request is done', async () => {
    const world = await open()
    const { api } = world
    const [a, b] = [await newServer(api, 'a'), await newServer(api, 'b')]
    const id = await newFirewall(api, 'f', { apply_to: [toServer(a), toSelector('env=dev')] })
    for (const again of [toServer(a), toSelector('env=dev'), toSelector('env == dev')]) {
      expect(await apply(api, id, toServer(b), again), 422, 'firewall_already_applied')
    }
    expect(await apply(api, id, toServer(b), toServer(b)), 422, 'firewall_already_applied')
    assert.deepEqual(await appliedTo(api, id), [toServer(a), bySelector('env=dev')])
    const twice = { name: 'g', apply_to: [toServer(a), toServer(a)] }
    expect(await api.post('/firewalls', twice), 422, 'server_already_added')
    const selectors = { name: 'g', apply_to: [toSelector('x'), toSelector(' x')] }
    expect(await api.post('/firewalls', selectors), 422, 'invalid_input')
    assert.equal((await api.get('/firewalls?name=g')).body.firewalls.length, 0)
    await settleAll(world)
    assert.equal((await actionsOf(api, b)).length, 2)
    await checkConsistency(world)
  })

  test('foreign, deleted and unknown servers cannot be told apart, and leave no trace', async () => {
    const world = await open()
    const { api, foreign, db } = world
    const theirs = await newServer(foreign, 'theirs')
    const deleted = await newServer(api, 'deleted')
    const mine = await newServer(api, 'mine')
    await settleAll(world)
    await api.delete(`/servers/${deleted}`)
    await settleAll(world)
    const id = await newFirewall(api, 'f')
    const actions = async () => (await acrossProjects(db.query).selectFrom('action').select('id').execute()).length
    const before = await actions()
    const requests: [number, (target: object) => Promise<Answer>][] = [
      [404, (target) => apply(api, id, toServer(mine), target)],
      [404, (target) => remove(api, id, target)],
      [422, (target) => api.post('/firewalls', { name: 'g', apply_to: [toServer(mine), target] })],
    ]
    for (const [status, request] of requests) {
      const answers: string[] = []
      for (const server of [theirs, deleted, 99_000_000_000, 7]) {
        const answer = expect(await request(toServer(server)), status, 'firewall_resource_not_found')
        answers.push(answer.text.replaceAll(String(server), '#'))
      }
      assert.equal(new Set(answers).size, 1)
    }
    const firewallOfOthers = await newFirewall(foreign, 'f')
    const texts = new Set<string>()
    for (const firewall of [firewallOfOthers, 99_000_000_000]) {
      for (const answer of [
        await apply(api, firewall, toServer(mine)),
        await remove(api, firewall, toServer(mine)),
        await setRules(api, firewall, []),
        await api.get(`/firewalls/${firewall}`),
        await api.put(`/firewalls/${firewall}`, { name: 'x' }),
        await api.delete(`/firewalls/${firewall}`),
      ]) {
        texts.add(expect(answer, 404, 'not_found').text.replaceAll(String(firewall), '#'))
      }
    }
    assert.equal(texts.size, 1)
    assert.equal(await actions(), before + 1)
    assert.deepEqual(await appliedTo(api, id), [])
    assert.equal((await api.get('/firewalls')).body.firewalls.length, 1)
    const labelled = await newServer(foreign, 'labelled', { labels: { env: 'dev' } })
    expect(await apply(api, id, toSelector('env')), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('env')])
    await settleAll(world)
    assert.equal(world.simulation.world.filters.has(labelled), false)
    await checkConsistency(world)
  })

  test('a server without a public network is refused, and selectors pass it by', async () => {
    const world = await open()
    const { api } = world
    const hidden = await newServer(api, 'hidden', { ...privateOnly, labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { apply_to: [toSelector('env')] })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env')])
    expect(await apply(api, id, toServer(hidden)), 422, 'incompatible_network_type')
    const body = { name: 'g', apply_to: [toServer(hidden)] }
    expect(await api.post('/firewalls', body), 422, 'incompatible_network_type')
    await api.put(`/servers/${hidden}`, { labels: { env: 'prod' } })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env')])
    const half = await newServer(api, 'half', { public_net: { enable_ipv4: false }, labels: { env: 'dev' } })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', half)])
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a server has a firewall directly and by a selector at once, and keeps it until both are gone', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toServer(server)] })
    const selected = expect(await apply(api, id, toSelector('env=dev')), 201)
    assert.deepEqual(told(selected.body.actions), [['apply_firewall', 'label_selector', `firewall ${id}`]])
    assert.equal(selected.body.actions[0].status, 'success')
    assert.deepEqual(await appliedTo(api, id), [toServer(server), bySelector('env=dev', server)])
    assert.deepEqual((await api.get(`/servers/${server}`)).body.server.public_net.firewalls.length, 1)
    // Entries are given back as they were read, with the servers that the selector matches.
    const [direct, selector] = await appliedTo(api, id)
    expect(await remove(api, id, direct), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('env=dev', server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    const managed = await remove(api, id, toServer(server))
    expect(managed, 422, 'firewall_managed_by_label_selector')
    const removed = expect(await remove(api, id, selector), 201)
    assert.deepEqual(told(removed.body.actions), [
      ['remove_firewall', `server ${server}`, `firewall ${id}`, 'label_selector'],
    ])
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, id), [])
    assert.deepEqual(openPorts(world, server), [])
    expect(await remove(api, id, selector), 404, 'firewall_resource_not_found')
    expect(await remove(api, id, toServer(server)), 404, 'firewall_resource_not_found')
    await checkConsistency(world)
  })

  test('with the direct entry left, removing the selector changes nothing for the server', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env'), toServer(server)] })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', server), toServer(server)])
    const removed = expect(await remove(api, id, toSelector('env')), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    assert.deepEqual(await appliedTo(api, id), [toServer(server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    await checkConsistency(world)
  })

  test('under several selectors of a firewall a server is shown once, and passes to the next one', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev', tier: '1' } })
    const id = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env'), toSelector('tier')] })
    assert.deepEqual(await appliedTo(api, id), [bySelector('env', server), bySelector('tier')])
    await settleAll(world)
    const removed = expect(await remove(api, id, toSelector('env')), 201)
    assert.deepEqual(told(removed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier', server)])
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    expect(await apply(api, id, toSelector('env')), 201)
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier', server), bySelector('env')])
    await api.put(`/servers/${server}`, { labels: { env: 'dev' } })
    assert.deepEqual(await appliedTo(api, id), [bySelector('tier'), bySelector('env', server)])
    await settleAll(world)
    assert.deepEqual((await actionsOf(api, server)).filter(({ command }) => command === 'apply_firewall').length, 1)
    await checkConsistency(world)
  })

  test('matching follows the labels of servers, with an action for each change', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a', { labels: { env: 'prod' } })
    // Neither `!=` nor `notin` matches servers that lack the key.
    const bare = await newServer(api, 'bare')
    await settleAll(world)
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env=dev')] })
    await newFirewall(api, 'h', { rules: [allow('25')], apply_to: [toSelector('stage!=live')] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')], apply_to: [toSelector('env notin (dev)')] })
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [22])
    assert.deepEqual(openPorts(world, bare), undefined)
    const before = new Set((await actionsOf(api, server)).map(({ id }) => id))
    const since = async () => told((await actionsOf(api, server)).filter(({ id }) => !before.has(id)))
    expect(await api.put(`/servers/${server}`, { labels: { env: 'dev' } }), 200)
    assert.deepEqual(await since(), [
      ['apply_firewall', `server ${server}`, `firewall ${f}`, 'label_selector'],
      ['remove_firewall', `server ${server}`, `firewall ${g}`, 'label_selector'],
    ])
    assert.deepEqual(
      [await appliedTo(api, f), await appliedTo(api, g)],
      [[bySelector('env=dev', server)], [bySelector('env notin (dev)')]],
    )
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80])
    expect(await api.put(`/servers/${server}`, { name: 'renamed' }), 200)
    expect(await api.put(`/servers/${server}`, { labels: { env: 'dev', other: '1' } }), 200)
    assert.equal((await since()).length, 2)
    await checkConsistency(world)
    await api.delete(`/servers/${server}`)
    await settleAll(world)
    assert.deepEqual(
      [await appliedTo(api, f), await appliedTo(api, g)],
      [[bySelector('env=dev')], [bySelector('env notin (dev)')]],
    )
    assert.equal(world.simulation.world.filters.has(server), false)
    await checkConsistency(world)
  })

  test('a new server is behind every firewall that matches it before it starts', async () => {
    const world = await open()
    const { api, simulation } = world
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toSelector('env=dev')] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')] })
    const powered: [number, string | undefined][] = []
    simulation.behave(({ driver, subject }) => {
      if (driver === 'servers')
        powered.push([openPorts(world, subject)?.length ?? 0, simulation.world.servers.get(subject)?.power])
      return undefined
    })
    const options = {
      name: 'a',
      server_type: 'cpx22',
      image: 'debian-12',
      labels: { env: 'dev' },
      firewalls: [{ firewall: g }],
    }
    const created = expect(await api.post('/servers', options), 201).body
    const { id } = created.server
    assert.deepEqual(told(created.next_actions), [
      ['start_server', `server ${id}`],
      ['apply_firewall', `server ${id}`, `firewall ${g}`],
      ['apply_firewall', `server ${id}`, `firewall ${f}`, 'label_selector'],
    ])
    assert.deepEqual(created.server.public_net.firewalls, [
      { id: f, status: 'pending' },
      { id: g, status: 'pending' },
    ])
    await settleAll(world)
    assert.deepEqual(powered, [
      [0, undefined],
      [2, 'off'],
    ])
    assert.deepEqual(await appliedTo(api, f), [bySelector('env=dev', id)])
    assert.deepEqual(await appliedTo(api, g), [toServer(id)])
    await checkConsistency(world)
  })

  test('a server has at most 5 firewalls, however they come to it, and what would be too much is not begun', async () => {
    const world = await open()
    const { api, db } = world
    const server = await newServer(api, 'a')
    const some = async (count: number, options: (i: number) => object) => {
      const ids: number[] = []
      for (let i = 0; i < count; i++)
        ids.push(await newFirewall(api, `f${i}-${ids.length}-${Math.random()}`, options(i)))
      return ids
    }
    const [first = 0] = await some(4, () => ({ apply_to: [toServer(server)] }))
    await some(2, (i) => ({ apply_to: [toSelector(`s${i}`)] }))
    await settleAll(world)
    const state = async () =>
      JSON.stringify([
        await acrossProjects(db.query).selectFrom('action').select('id').orderBy('id').execute(),
        (await api.get('/firewalls')).body,
        (await api.get('/servers')).body,
      ])
    const refused = async (answer: Answer) => {
      expect(answer, 403, 'resource_limit_exceeded')
      assert.deepEqual(answer.body.error.details, { limits: [{ name: 'firewalls_per_server' }] })
    }
    let before = await state()
    await refused(await api.put(`/servers/${server}`, { name: 'b', labels: { s0: '', s1: '' } }))
    assert.equal(await state(), before)
    expect(await api.put(`/servers/${server}`, { labels: { s0: '' } }), 200)
    await settleAll(world)
    const spare = await newFirewall(api, 'spare')
    const other = await newServer(api, 'other', { labels: { x: '' } })
    await settleAll(world)
    before = await state()
    await refused(await apply(api, spare, toServer(other), toServer(server)))
    await refused(await apply(api, spare, toSelector('s0')))
    await refused(await api.post('/firewalls', { name: 'g', apply_to: [toServer(server)] }))
    await refused(await api.post('/firewalls', { name: 'g', apply_to: [toSelector('s0')] }))
    const all = (await api.get('/firewalls')).body.firewalls.map(({ id }: { id: number }) => ({ firewall: id }))
    const body = { name: 'c', server_type: 'cpx22', image: 'debian-12' }
    await refused(await api.post('/servers', { ...body, firewalls: all.slice(0, 6) }))
    const matched = { ...body, firewalls: all.slice(0, 4), labels: { s0: '', s1: '' } }
    await refused(await api.post('/servers', matched))
    assert.equal(await state(), before)
    // Both ways to one firewall count once.
    expect(await apply(api, first, toSelector('s0')), 201)
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a new server cannot have a sixth firewall, even where no labels play a part', async () => {
    const world = await open()
    const { api } = world
    const firewalls: { firewall: number }[] = []
    for (let i = 0; i < 6; i++) firewalls.push({ firewall: await newFirewall(api, `f${i}`) })
    const body = { name: 'a', server_type: 'cpx22', image: 'debian-12' }
    expect(await api.post('/servers', { ...body, firewalls }), 403, 'resource_limit_exceeded')
    assert.deepEqual((await api.get('/servers')).body.servers, [])
    await newServer(api, 'a', { firewalls: [...firewalls.slice(0, 5), ...firewalls.slice(0, 5)] })
    await settleAll(world)
    await checkConsistency(world)
  })

  test('a firewall in use cannot be deleted, be it by a server or by a selector without servers', async () => {
    const world = await open()
    const { api } = world
    const server = await newServer(api, 'a')
    const id = await newFirewall(api, 'f', { apply_to: [toServer(server), toSelector('nothing')] })
    await settleAll(world)
    const inUse = async (...by: object[]) => {
      const { error } = expect(await api.delete(`/firewalls/${id}`), 422, 'resource_in_use').body
      assert.equal(error.message, `firewall with ID ${id} is still in use`)
      assert.deepEqual(error.details, { applied_to: by })
    }
    await inUse(toServer(server), toSelector('nothing'))
    expect(await api.delete(`/servers/${server}`), 200)
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, id), [bySelector('nothing')])
    await inUse(toSelector('nothing'))
    const echoed = expect(await remove(api, id, ...(await appliedTo(api, id))), 201)
    assert.deepEqual(told(echoed.body.actions), [['remove_firewall', 'label_selector', `firewall ${id}`]])
    expect(await api.delete(`/firewalls/${id}`), 204)
    await checkConsistency(world)
  })

  test('removing several targets is done as a whole or not at all', async () => {
    const world = await open()
    const { api } = world
    const [a, b] = [await newServer(api, 'a'), await newServer(api, 'b')]
    const id = await newFirewall(api, 'f', { apply_to: [toServer(a)] })
    expect(await remove(api, id, toServer(a), toServer(b)), 404, 'firewall_resource_not_found')
    expect(await remove(api, id, toServer(a), toServer(a)), 404, 'firewall_resource_not_found')
    assert.deepEqual(await appliedTo(api, id), [toServer(a)])
    await settleAll(world)
    assert.equal((await api.get(`/servers/${a}`)).body.server.public_net.firewalls[0].status, 'applied')
    await checkConsistency(world)
  })

  test('the infrastructure is handed the whole filter of one server, with a generation that grows', async () => {
    const world = await open()
    const { api, simulation } = world
    const server = await newServer(api, 'a')
    const f = await newFirewall(api, 'f', {
      rules: [
        { ...allow('1024-5000', ['10.0.0.0/8']), description: 'never leaves the database' },
        { direction: 'in', protocol: 'udp', port: 'any', source_ips: ['::/0'] },
        { direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0'] },
      ],
      apply_to: [toServer(server)],
    })
    await settleAll(world)
    const filter = () => simulation.world.filters.get(server)
    const inbound = {
      otherwise: 'drop',
      accept: [
        { protocol: 'tcp', ports: { first: 1024, last: 5000 }, networks: ['10.0.0.0/8'] },
        { protocol: 'udp', ports: null, networks: ['::/0'] },
        { protocol: 'icmp', ports: null, networks: ['0.0.0.0/0'] },
      ],
    }
    const open1 = { otherwise: 'accept', accept: [] }
    const { generation = 0 } = filter() ?? {}
    assert.deepEqual(filter(), { serverId: server, generation, inbound, outbound: open1 })
    const out = { direction: 'out', protocol: 'tcp', port: '443', destination_ips: ['0.0.0.0/0'] }
    await newFirewall(api, 'g', { rules: [out], apply_to: [toServer(server)] })
    await settleAll(world)
    const closed = {
      otherwise: 'drop',
      accept: [{ protocol: 'tcp', ports: { first: 443, last: 443 }, networks: ['0.0.0.0/0'] }],
    }
    assert.deepEqual(filter()?.outbound, closed)
    assert.ok((filter()?.generation ?? 0) > generation)
    expect(await setRules(api, f, []), 201)
    await settleAll(world)
    assert.deepEqual(filter()?.inbound, { otherwise: 'drop', accept: [] })
    assert.deepEqual(filter()?.outbound, closed)
    await checkConsistency(world)
  })

  test('the actions of firewalls are listed, filtered and found in four places', async () => {
    const world = await open({ runActions: false })
    const { api, foreign } = world
    const server = await newServer(api, 'a')
    const f = await newFirewall(api, 'f', { apply_to: [toServer(server)] })
    const g = await newFirewall(api, 'g')
    const list = async (path: string) =>
      (await api.get(path)).body.actions.map((a: WireAction) => `${a.command} ${a.status}`)
    assert.deepEqual(await list(`/firewalls/${f}/actions`), ['set_firewall_rules success', 'apply_firewall running'])
    assert.deepEqual(await list(`/firewalls/${g}/actions`), ['set_firewall_rules success'])
    assert.deepEqual(await list(`/firewalls/${f}/actions?status=running`), ['apply_firewall running'])
    assert.deepEqual(await list('/firewalls/actions?status=success'), Array(2).fill('set_firewall_rules success'))
    assert.deepEqual(await list(`/firewalls/${f}/actions?sort=command`), [
      'apply_firewall running',
      'set_firewall_rules success',
    ])
    await settleAll(world)
    assert.deepEqual(await list('/firewalls/actions?status=running'), [])
    const { actions, meta } = (await api.get(`/firewalls/${f}/actions`)).body
    assert.equal(meta.pagination.total_entries, 2)
    const [, applied] = actions
    for (const path of [
      `/actions/${applied.id}`,
      `/firewalls/actions/${applied.id}`,
      `/firewalls/${f}/actions/${applied.id}`,
      `/servers/actions/${applied.id}`,
      `/servers/${server}/actions/${applied.id}`,
    ]) {
      assert.deepEqual((await api.get(path)).body, { action: applied })
      expect(await foreign.get(path), 404, 'not_found')
    }
    assert.deepEqual((await api.get(`/firewalls/actions?id=${applied.id}`)).body.actions, [applied])
    expect(await api.get(`/firewalls/${g}/actions/${applied.id}`), 404, 'not_found')
    const [createServer] = await actionsOf(api, server)
    expect(await api.get(`/firewalls/actions/${(createServer as unknown as { id: number }).id}`), 404, 'not_found')
    const progress = expect(await api.get(`/firewalls/${f}/actions?sort=progress`), 422, 'invalid_input')
    assert.deepEqual(fieldsOf(progress), ['sort'])
  })

  test('a read-only token reads firewalls and changes none', async () => {
    const { api, readOnly } = await open()
    const id = await newFirewall(api, 'f')
    expect(await readOnly.get(`/firewalls/${id}`), 200)
    for (const answer of [
      await readOnly.post('/firewalls', { name: 'g' }),
      await readOnly.put(`/firewalls/${id}`, { name: 'g' }),
      await setRules(readOnly, id, []),
      await apply(readOnly, id),
      await remove(readOnly, id),
      await readOnly.delete(`/firewalls/${id}`),
    ]) {
      expect(answer, 401, 'token_readonly')
    }
  })
})
