import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { forProjects } from '../../../test/kit/harness.ts'
import { expect, messagesOf, refused, settleAll } from '../../../test/kit/resources.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { newServer } from '../servers/proof.ts'
import {
  actionsOf,
  allow,
  apply,
  bySelector,
  newFirewall,
  openPorts,
  remove,
  setRules,
  told,
  toSelector,
  toServer,
} from './proof.ts'

interface WireAction {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly resources: readonly { id: number; type: string }[]
}

forProjects('firewalls', (open) => {
  test('a list shows what is different in a row, whoever has written it and in whatever column', async () => {
    const { api, db } = await open()
    const { firewall } = (await api.post('/firewalls', { name: 'web', rules: [allow('80')] })).body
    const listed = async () => (await api.get('/firewalls')).body.firewalls
    assert.deepEqual(await listed(), [firewall])
    const { created } = firewall
    for (const later of ['2027-01-01T00:00:00Z', created]) {
      const change = (tx: Parameters<Parameters<typeof db.transact>[0]>[0]) =>
        acrossProjects(tx.query).updateTable('firewall').set({ created: later }).where('id', '=', firewall.id).execute()
      await db.transact(change)
      assert.deepEqual(await listed(), [{ ...firewall, created: later }])
    }
    const rules = [allow('443')]
    await setRules(api, firewall.id, rules)
    assert.deepEqual((await listed())[0].rules, (await api.get(`/firewalls/${firewall.id}`)).body.firewall.rules)
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
      assert.match(
        answer.body.error.message,
        /^invalid input in field 'name'(: must not have more than 128 characters)?$/,
      )
    }
  })

  test('labels cannot have the prefix of the installation; its subdomains are free', async () => {
    const { api } = await open()
    for (const key of ['wolke.cloud/a', 'WOLKE.cloud/a']) {
      refused(await api.post('/firewalls', { name: 'a', labels: { [key]: '' } }), 'labels')
    }
    const labels = { 'x.wolke.cloud/a': '1', 'mywolke.cloud/a': '', 'wolke.cloud': '' }
    const id = await newFirewall(api, 'a', { labels })
    assert.deepEqual((await api.get(`/firewalls/${id}`)).body.firewall.labels, labels)
  })

  test('lists sort by id, name and creation, and filter by name and labels', async () => {
    const { api, foreign, clock } = await open({ alone: true })
    await newFirewall(api, 'b', { labels: { env: 'dev' } })
    clock.advance(1_000)
    await newFirewall(api, 'a', { labels: { env: 'prod', tier: '1' } })
    await newFirewall(foreign, 'c', { labels: { env: 'dev' } })
    const names = async (query: string) =>
      (await api.get(`/firewalls?${query}`)).body.firewalls.map((f: { name: string }) => f.name)
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
    refused(await api.get('/firewalls?sort=rules'), 'sort')
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
    const refused = await api.put(`/firewalls/${id}`, { name: 'mine' })
    expect(refused, 409, 'conflict')
    assert.equal(refused.body.error.message, `firewall with ID '${id}' changed during the request; please retry`)
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
    // Tools send the whole firewall again, of which nothing else is meant to change.
    const whole = { name: 'b', labels: { 'not a label': '' }, apply_to: [{ type: 'nothing' }], rules: [] }
    expect(await api.post(`/firewalls/${firewall.id}/actions/set_rules`, whole), 201)
    const { name, labels, rules: none } = (await api.get(`/firewalls/${firewall.id}`)).body.firewall
    assert.deepEqual([name, labels, none], ['a', {}, []])
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
        const [first] = messagesOf(answer)
        assert.deepEqual([first?.[0]], fields, answer.text)
        const said = /^invalid input in field 'rules'(: .* more than (50|100|255|500) .*)?$/
        if (!fields[0]?.endsWith('extra')) assert.match(answer.body.error.message, said)
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
        assert.ok(
          messagesOf(expect(answer, 422, 'invalid_input'))[0]?.[0].startsWith(`${field}[0]${path}`),
          answer.text,
        )
      }
    }
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
    assert.deepEqual(filter(), { serverId: server, location: 1, generation, inbound, outbound: open1 })
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
    refused(await api.get(`/firewalls/${f}/actions?sort=progress`), 'sort')
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
