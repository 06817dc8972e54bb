/** Seeds: what a file describes is made once, through the operations of the API, or nothing of it is. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { fieldsOf, labOptions, seedsOf } from './kit.ts'

const everything = readFileSync(join(import.meta.dirname, 'everything.yaml'), 'utf8')
const token = 'shop'.repeat(16)
const nothing = { created: [], changed: [], left: [] }

/** A seed of one Project. */
const shop = (parts: object) => ({ projects: [{ name: 'shop', ...parts }] })
const server = { server_type: 'cx23', image: 'debian-12', location: 'fsn1' }

const ipv4 = { name: 'a', type: 'ipv4', location: 'fsn1' }
const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }

/** What the Project of the token has of a family. */
const listed = async ({ client }: World, path: string) => (await done(client(token).get(`/${path}`)))[path]

forEachDatabase('A seed', (open, engineName) => {
  test('makes one of everything, and nothing a second time', async () => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    const made = await done(seeds.yaml(everything))
    const described = Object.values(parse(everything).projects[0]).flatMap((one) => (Array.isArray(one) ? one : []))
    assert.equal(made.created.length, 1 + described.length)
    assert.deepEqual([made.changed, made.left], [[], []])

    const servers = await listed(world, 'servers')
    const byName = Object.fromEntries(servers.map((one: { name: string }) => [one.name, one]))
    assert.equal(byName['web-1'].status, 'running')
    assert.equal(byName['web-1'].private_net[0].ip, '10.0.1.2')
    assert.equal(byName['web-1'].public_net.ipv4.dns_ptr, 'www.wolke-shop.com')
    assert.notEqual(byName['web-1'].backup_window, null)
    assert.equal(byName['db-1'].status, 'running')
    assert.equal(byName.copy.status, 'off')
    assert.equal(byName.copy.image.type, 'snapshot')
    assert.deepEqual([byName['web-1'].rescue_enabled, byName['db-1'].rescue_enabled], [true, false])
    const balancers = await listed(world, 'load_balancers')
    const front = balancers.find(({ name }: { name: string }) => name === 'front')
    assert.equal(front.targets.length, 2)
    const named = [front.public_net.ipv4.dns_ptr, front.public_net.ipv6.dns_ptr]
    assert.deepEqual(named, ['front.wolke-shop.com', 'front6.wolke-shop.com'])
    const { ip, dns_ptr } = byName.copy.public_net.ipv6
    assert.deepEqual(dns_ptr, [
      { ip: ip.replace('::/64', '::1'), dns_ptr: 'copy.wolke-shop.com' },
      { ip: ip.replace('::/64', ':a::2'), dns_ptr: 'mail.wolke-shop.com' },
    ])
    assert.equal((await listed(world, 'firewalls'))[0].applied_to.length, 2)

    const before = await seeds.export('shop')
    assert.deepEqual(await done(seeds.yaml(everything)), nothing)
    assert.deepEqual(await seeds.export('shop'), before)
    assert.deepEqual(await listed(world, 'servers'), servers)
  })

  test('comes back from a Project: seeded into an empty cloud, it gives the same bytes', async () => {
    const first = await seedsOf(await open(labOptions()))
    await done(first.yaml(everything))
    const { text, left_out } = await first.export('shop')
    assert.deepEqual(left_out, [])
    const second = await seedsOf(await open(labOptions()))
    await done(second.yaml(text))
    assert.equal((await second.export('shop')).text, text)
    assert.deepEqual(await done(second.yaml(text)), nothing)
  })

  test('makes what has to wait for something else of the same server, and gives it back', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const value = shop({
      servers: [{ name: 'web', ...server }],
      images: ['one', 'two', 'three'].map((name) => ({ name, server: 'web' })),
      floating_ips: [{ name: 'f', type: 'ipv4', server: 'web' }],
    })
    assert.equal((await done(seeds.post(value))).created.length, 6)
    const { text, left_out } = await seeds.export('shop')
    assert.deepEqual(left_out, [])
    const second = await seedsOf(await open(labOptions()))
    await done(second.yaml(text))
    assert.equal((await second.export('shop')).text, text)
  })

  test('makes what needs a secret, and leaves it out of the file of a Project', async () => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    const box = {
      ...{ name: 'data', storage_box_type: 'bx11', location: 'fsn1', password: 'Sturdy-Box-2026!', labels: { a: 'b' } },
      access_settings: { ssh_enabled: true },
      snapshot_plan: { max_snapshots: 3, hour: 4, minute: 5 },
      protection: { delete: true },
    }
    assert.equal(
      (await done(seeds.post(shop({ tokens: [{ name: 'all', token }], storage_boxes: [box] })))).created.length,
      3,
    )
    const [shown] = await listed(world, 'storage_boxes')
    assert.deepEqual([shown.status, shown.access_settings.ssh_enabled, shown.labels], ['active', true, { a: 'b' }])
    assert.deepEqual([shown.snapshot_plan.hour, shown.protection.delete], [4, true])
    assert.deepEqual(await done(seeds.post(shop({ tokens: [{ name: 'all', token }], storage_boxes: [box] }))), nothing)
    const { text, left_out } = await seeds.export('shop')
    assert.doesNotMatch(text, /Sturdy/)
    assert.match(left_out.join(), /data/)
  })

  test('is the same as JSON', async () => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    await done(seeds.post(parse(everything)))
    assert.deepEqual(await done(seeds.yaml(everything)), nothing)
  })

  test('adds what a Project lacks, changes what a PUT changes, and says what stays', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const networks = [{ name: 'private', ip_range: '10.0.0.0/16', subnets: [subnet] }]
    const record = (value: string) => ({ name: 'www', type: 'A', records: [{ value }] })
    const zones = [{ name: 'example.com', mode: 'primary', rrsets: [record('192.0.2.1')] }]
    await done(seeds.post(shop({ networks, zones, servers: [{ name: 'one', ...server }] })))
    const later = {
      networks: [
        {
          name: 'private',
          ip_range: '10.0.0.0/12',
          subnets: [subnet, { ...subnet, ip_range: '10.0.2.0/24' }],
          labels: { env: 'test' },
        },
      ],
      servers: [
        {
          name: 'one',
          ...server,
          server_type: 'cx33',
          backups: true,
          networks: [{ network: 'private', ip: '10.0.2.7' }],
        },
        { name: 'two', ...server },
      ],
      zones: [{ ...zones[0], rrsets: [record('192.0.2.2'), { ...record('192.0.2.3'), name: 'new' }] }],
    }
    assert.deepEqual(await done(seeds.post(shop(later))), {
      created: ['projects[0].servers[1]'],
      changed: ['projects[0].networks[0]', 'projects[0].servers[0]', 'projects[0].zones[0]'],
      left: [
        'projects[0].networks[0].ip_range',
        'projects[0].servers[0].server_type',
        'projects[0].servers[0].backups',
        'projects[0].zones[0].rrsets[0]',
      ],
    })
    const { text } = await seeds.export('shop')
    const [project] = parse(text).projects
    assert.deepEqual(
      project.networks[0].subnets.map(({ ip_range }: { ip_range: string }) => ip_range),
      ['10.0.1.0/24', '10.0.2.0/24'],
    )
    assert.deepEqual(project.networks[0].labels, { env: 'test' })
    assert.deepEqual(project.servers[0].networks, [{ network: 'private', ip: '10.0.2.7' }])
  })

  test('leaves nothing when something of it fails, and takes back what it has changed', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const there = parse(everything)
    await done(seeds.post(there))
    const before = await seeds.export('shop')
    const [project] = structuredClone(there.projects)
    project.networks[0].labels = { new: 'yes' }
    project.networks[0].subnets.push({ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.2.0/24' })
    project.primary_ips[0].auto_delete = true
    project.primary_ips[2].dns_ptr_ipv6.push({ ip: '::2', dns_ptr: 'more.wolke-shop.com' })
    project.firewalls[0].apply_to.push({ type: 'server', server: 'web-1' })
    project.load_balancers[0].targets.push({ type: 'server', server: 'copy' })
    project.floating_ips.push({ name: 'more', type: 'ipv6', server: 'new' })
    project.firewalls.push({ name: 'more', apply_to: [{ type: 'server', server: 'new' }] })
    project.servers.push({ name: 'new', ...server, protection: { delete: true, rebuild: true } })
    project.zones[0].rrsets.push({ name: 'new', type: 'A', records: [{ value: 'no address' }] })
    const other = { name: 'other', servers: [{ name: 'one', ...server }] }
    const answer = await seeds.post({ projects: [other, project] })
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(fieldsOf(answer), ['projects[1].zones[0].rrsets[2].records[0].value'])
    assert.doesNotMatch(answer.body.error.message, /taken back/)
    assert.deepEqual(await seeds.export('shop'), before)
    assert.ok(!(await seeds.projects()).some(({ name }) => name === 'other'))
  })

  test('names the field and the line of what the API refuses, whatever it is, and leaves nothing', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const cases: readonly [string, object][] = [
      ['networks[0].ip_range', { networks: [{ name: 'a', ip_range: '10.0.0.0' }] }],
      ['servers[0].server_type', { servers: [{ name: 'a', ...server, server_type: 'huge' }] }],
      ['servers[0].image', { servers: [{ name: 'a', ...server, image: 'debian-1' }] }],
      ['servers[0].name', { servers: [{ name: 'a_b', ...server }] }],
      ['floating_ips[0].home_location', { floating_ips: [{ name: 'a', type: 'ipv4', home_location: 'moon' }] }],
      ['ssh_keys[0].public_key', { ssh_keys: [{ name: 'a', public_key: 'none' }] }],
      ['certificates[0].private_key', { certificates: [{ name: 'a', type: 'uploaded', certificate: 'none' }] }],
      [
        'servers[0].networks[0].ip',
        { servers: [{ name: 'a', ...server, networks: [{ network: 'before', ip: 'none' }] }] },
      ],
      [
        'servers[0].networks[1]',
        { servers: [{ name: 'a', ...server, networks: [{ network: 'before' }, { network: 'before' }] }] },
      ],
      [
        'primary_ips[0].dns_ptr_ipv6[0].ip',
        { primary_ips: [{ ...ipv4, dns_ptr_ipv6: [{ ip: '::1', dns_ptr: 'a.b' }] }] },
      ],
      [
        'primary_ips[0].dns_ptr_ipv6[0].dns_ptr',
        { primary_ips: [{ ...ipv4, type: 'ipv6', dns_ptr_ipv6: [{ ip: '::1', dns_ptr: '!' }] }] },
      ],
      ...['0::1', '::01', '::A', '::1:0:0:0:0', '2001:db8::1', '192.0.2.1', ''].map((ip): [string, object] => [
        'primary_ips[0].dns_ptr_ipv6[0].ip',
        { primary_ips: [{ ...ipv4, type: 'ipv6', dns_ptr_ipv6: [{ ip, dns_ptr: 'a.b' }] }] },
      ]),
      ['floating_ips[0].dns_ptr', { floating_ips: [{ name: 'a', type: 'ipv4', home_location: 'fsn1', dns_ptr: '!' }] }],
      ['certificates[0]', { certificates: [{ name: 'a', type: 'managed', domain_names: ['a.example.com'] }] }],
      ['zones[0].name', { zones: [{ name: 'a.b.c.example.com', mode: 'primary' }] }],
      ['firewalls[0].rules[0].port', { firewalls: [{ name: 'a', rules: [{ direction: 'in', protocol: 'tcp' }] }] }],
    ]
    for (const [field, parts] of cases) {
      const networks = [{ name: 'before', ip_range: '10.0.0.0/8', subnets: [subnet] }]
      const answer = await seeds.post(shop({ networks, ...parts }))
      assert.equal(answer.status, 422, answer.text)
      assert.ok(fieldsOf(answer).includes(`projects[0].${field}`), `${field}: ${answer.text}`)
      assert.ok(!(await seeds.projects()).some(({ name }) => name === 'shop'))
    }
  })

  test('is refused as a whole before anything is made, with all that is wrong', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const text = `projects:
  - name: shop
    servers:
      - name: one
        server_type: cx23
        image: debian-12
        placement_group: nowhere
        colour: red
`
    const answer = await seeds.yaml(text)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body.error.details.fields, [
      { name: 'projects[0].servers[0].colour', messages: ['line 8: unknown field'] },
    ])
    const { body } = await seeds.yaml(text.replace(/ +colour.*\n/, ''))
    assert.deepEqual(body.error.details.fields, [
      {
        name: 'projects[0].servers[0].placement_group',
        messages: ['line 7: names no placement_group of the file or the Project'],
      },
    ])
    const circle = {
      servers: [{ name: 'a', ...server, firewalls: ['f'] }],
      firewalls: [{ name: 'f', apply_to: [{ type: 'server', server: 'a' }] }],
    }
    assert.deepEqual(fieldsOf(await seeds.post(shop(circle))), ['projects[0].firewalls[0].apply_to[0].server'])
    const twice = {
      placement_groups: [
        { name: 'a', type: 'spread' },
        { name: 'a', type: 'spread' },
      ],
    }
    assert.deepEqual(fieldsOf(await seeds.post(shop(twice))), ['projects[0].placement_groups[1].name'])
    assert.deepEqual(fieldsOf(await seeds.post({ projects: [{ name: 'a' }, { name: 'a' }] })), ['projects[1].name'])
    for (const bad of ['x'.repeat(64).slice(1), `wlm_${'0'.repeat(60)}`])
      assert.deepEqual(fieldsOf(await seeds.post(shop({ tokens: [{ name: 'a', token: bad }] }))), [
        'projects[0].tokens[0].token',
      ])
    assert.deepEqual(fieldsOf(await seeds.post({})), ['projects'])
    assert.deepEqual(fieldsOf(await seeds.post({ projects: [], yaml: '' })), ['projects'])
    assert.ok(!(await seeds.projects()).some(({ name }) => name === 'shop'))
  })

  if (engineName === 'sqlite') {
    test('lets a clock that stands still pass the time that actions take', async () => {
      const durations = { of: () => 90_000, longestMs: 600_000 }
      const world = await open({ ...labOptions(), engine: { durations } })
      const seeds = await seedsOf(world)
      await done(seeds.post(shop({ tokens: [{ name: 'a', token }], servers: [{ name: 'one', ...server }] })))
      assert.equal((await listed(world, 'servers'))[0].status, 'running')
      assert.equal(new Date(world.clock.now()).toISOString(), '2026-11-28T12:03:00.000Z')
    })

    test('lets it pass until the last of several ends', async () => {
      const durations = { of: () => 90_000, longestMs: 600_000 }
      const options = labOptions()
      const world = await open({ ...options, engine: { durations } })
      const seeds = await seedsOf(world)
      const images = ['one', 'two', 'three'].map((name) => ({ name, server: 'one' }))
      const named = (name: string, more: object) => ({ name, servers: [{ name: 'one', ...server }], ...more })
      await Promise.all([
        done(seeds.post({ projects: [named('short', {})] })),
        done(seeds.post({ projects: [named('long', { images })] })),
      ])
      assert.equal(options.lab?.mode, 'frozen')
    })
  }

  test('needs a lab', async () => {
    const seeds = await seedsOf(await open())
    const answer = await seeds.post(shop({}))
    assert.equal(answer.status, 422)
    assert.match(answer.body.error.message, /--lab/)
  })
})
