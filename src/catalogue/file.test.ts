import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtIn } from './built-in.ts'
import { openCatalogue } from './catalogue.ts'
import { type CatalogueFile, parseCatalogue } from './file.ts'

describe('catalogue file', () => {
  const fresh = (): CatalogueFile => JSON.parse(JSON.stringify(builtIn))

  it('round-trips the built-in catalogue through JSON', () => {
    assert.deepEqual(parseCatalogue(fresh()), builtIn)
  })

  it('has the built-in prices in its own locations when it has none', () => {
    const { pricing: _, ...file } = fresh()
    assert.deepEqual(parseCatalogue(file), builtIn)
  })

  it('has the built-in types of Load Balancers with prices in its own locations when it has none', () => {
    const { load_balancer_types: _types, storage_box_types: _boxes, pricing: _prices, ...file } = fresh()
    const [fsn1, ...others] = file.locations
    const server_types = file.server_types.map((type) => ({ ...type, prices: [], locations: [], deprecation: null }))
    const elsewhere = { ...fsn1!, id: 9, name: 'attic' }
    const { load_balancer_types } = parseCatalogue({ ...file, server_types, locations: [elsewhere, ...others] })
    assert.deepEqual(
      load_balancer_types.map(({ name, prices }) => [name, prices.map(({ location }) => location)]),
      ['lb11', 'lb21', 'lb31'].map((name) => [name, ['ash', 'attic', 'hel1', 'hil', 'nbg1', 'sin']]),
    )
  })

  it('can do without types of Load Balancers', () => {
    assert.deepEqual(parseCatalogue({ ...fresh(), load_balancer_types: [] }).load_balancer_types, [])
  })

  it('says which addresses outside of the cloud belong to whom, in any notation', () => {
    const external_addresses = [
      { project: 'web', ip_range: '192.0.2.0/28' },
      { project: 'web', ip_range: '2001:DB8:0::/48' },
      { project: 'the other one', ip_range: '192.0.2.16/32' },
    ]
    const data = parseCatalogue({ ...fresh(), external_addresses })
    const { ownsExternally } = openCatalogue(data)
    const owned = (name: string) =>
      ['192.0.2.15', '192.0.2.16', '192.0.2.17', '2001:db8::1', '2001:db8:1::1'].filter((ip) =>
        ownsExternally(name, ip),
      )
    assert.deepEqual(owned('web'), ['192.0.2.15', '2001:db8::1'])
    assert.deepEqual(owned('the other one'), ['192.0.2.16'])
    assert.deepEqual(owned('Web'), [])
    assert.deepEqual(parseCatalogue(JSON.parse(JSON.stringify(data))), data)
    assert.equal(openCatalogue(builtIn).ownsExternally('web', '192.0.2.1'), false)
  })

  it('reads one that was written before there were Load Balancers, ISOs, prices, vSwitches and addresses outside', () => {
    const { locations, server_types, images } = fresh()
    assert.deepEqual(parseCatalogue({ locations, server_types, images }), { ...builtIn, isos: [] })
  })

  it('has the fields of entries in the order of the API, whatever theirs is in the file', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries({ ...value, more: 1 })
          .reverse()
          .map(([key, part]) => [key, reversed(part)]),
      )
    }
    assert.equal(JSON.stringify(parseCatalogue(reversed(fresh()))), JSON.stringify(builtIn))
  })

  it('ignores fields it does not know and normalises timestamps', () => {
    const file = fresh()
    const first = { ...file.images[0]!, created: '2021-08-16T13:12:01.250+02:00', labels: {} }
    assert.deepEqual(parseCatalogue({ ...file, images: [first, ...file.images.slice(1)], volumes: [] }), builtIn)
  })

  // The mutations break the declared shape on purpose.
  const set = (target: object | undefined, values: Record<string, unknown>) => void Object.assign(target!, values)
  const owns = (file: CatalogueFile, ...external_addresses: object[]) => set(file, { external_addresses })
  const bad: [change: (file: CatalogueFile) => void, message: string][] = [
    [(f) => set(f, { images: undefined }), 'images: must be array'],
    [(f) => Reflect.deleteProperty(f, 'server_types'), 'server_types: is missing'],
    [(f) => Reflect.deleteProperty(f.images[2]!, 'os_version'), 'images[2].os_version: is missing'],
    [(f) => set(f.locations[1], { id: 0 }), 'locations[1].id: must be >= 1'],
    [(f) => set(f.locations[1], { id: 2 ** 52 }), 'locations[1].id: must be <= 4503599627370495'],
    [(f) => set(f.locations[1], { id: 1.5 }), 'locations[1].id: must be integer'],
    [(f) => set(f.locations[1], { name: 'A b' }), 'locations[1].name: must match pattern "^[a-z0-9][a-z0-9-]*$"'],
    [(f) => set(f.isos?.[1], { architecture: 'mips' }), 'isos[1].architecture: must be one of x86, arm'],
    [(f) => set(f.isos?.[1], { id: 551 }), 'isos[1].id: 551 is already used by isos[0]'],
    [(f) => set(f.server_types[3], { cores: '4' }), 'server_types[3].cores: must be integer'],
    [(f) => set(f.server_types[3], { category: 4 }), 'server_types[3].category: must be string or null'],
    [(f) => set(f.server_types[3], { deprecation: 4 }), 'server_types[3].deprecation: must be object or null'],
    [(f) => set(f.server_types[3], { cpu_type: 'x' }), 'server_types[3].cpu_type: must be one of shared, dedicated'],
    [
      (f) => set(f.server_types[0]?.deprecation ?? undefined, { announced: 'soon' }),
      'server_types[0].deprecation.announced: must match format "date-time"',
    ],
    [
      (f) => set(f.images[0], { created: '2016-12-31T23:59:60Z' }),
      'images[0].created: must be a time without leap second',
    ],
    [
      (f) => set(f.server_types[1]?.prices[0]?.price_hourly, { net: '1,5' }),
      'server_types[1].prices[0].price_hourly.net: must match pattern "^\\d+(\\.\\d+)?$"',
    ],
    [(f) => set(f.images[0], { type: 'snapshot' }), 'images[0].type: must be one of system, app'],
    [(f) => set(f.locations[2], { id: 1 }), 'locations[2].id: 1 is already used by locations[0]'],
    [(f) => set(f.locations[2], { name: 'fsn1' }), 'locations[2].name: "fsn1" is already used by locations[0]'],
    [(f) => set(f.server_types[5], { id: 22 }), 'server_types[5].id: 22 is already used by server_types[1]'],
    [
      (f) => set(f.server_types[5], { name: 'cpx11' }),
      'server_types[5].name: "cpx11" is already used by server_types[1]',
    ],
    [(f) => set(f.images[1], { id: f.images[0]?.id }), 'images[1].id: 45557056 is already used by images[0]'],
    [
      (f) => set(f.images[1], { architecture: 'x86' }),
      'images[1].name: "debian-11 (x86)" is already used by images[0]',
    ],
    [
      (f) => set(f.server_types[1]?.locations[1], { id: 77 }),
      'server_types[1].locations[1].id: there is no location with id 77',
    ],
    [
      (f) => set(f.server_types[1]?.locations[1], { id: 4 }),
      'server_types[1].locations[1].id: 4 is already used by server_types[1].locations[0]',
    ],
    [
      (f) => set(f.server_types[1]?.locations[1], { name: 'ash' }),
      'server_types[1].locations[1].name: location 5 has the name "hil"',
    ],
    [
      (f) => set(f.server_types[0]?.locations[1], { deprecation: null }),
      'server_types[0].deprecation: must be null unless the type is deprecated in all its locations',
    ],
    [
      (f) => set(f.server_types[1]?.prices[0], { location: 'sin' }),
      'server_types[1].prices[0].location: the type is not offered in "sin"',
    ],
    [(f) => f.server_types[1]?.prices.pop(), 'server_types[1].prices: has no price for location "hil"'],
    [(f) => set(f, { load_balancer_types: {} }), 'load_balancer_types: must be array'],
    [
      (f) => Reflect.deleteProperty(f.load_balancer_types![1]!, 'max_services'),
      'load_balancer_types[1].max_services: is missing',
    ],
    [(f) => set(f.load_balancer_types?.[2], { max_targets: 0 }), 'load_balancer_types[2].max_targets: must be >= 1'],
    [
      (f) => set(f.load_balancer_types?.[2], { id: 1 }),
      'load_balancer_types[2].id: 1 is already used by load_balancer_types[0]',
    ],
    [
      (f) => set(f.load_balancer_types?.[2], { name: 'lb21' }),
      'load_balancer_types[2].name: "lb21" is already used by load_balancer_types[1]',
    ],
    [
      (f) => set(f.load_balancer_types?.[0], { deprecation: 4 }),
      'load_balancer_types[0].deprecation: must be object or null',
    ],
    [
      (f) => set(f.load_balancer_types?.[0]?.prices[1], { location: 'moon' }),
      'load_balancer_types[0].prices[1].location: there is no location "moon"',
    ],
    [
      (f) => set(f.load_balancer_types?.[0]?.prices[1], { location: 'ash' }),
      'load_balancer_types[0].prices[1].location: "ash" is already used by load_balancer_types[0].prices[0]',
    ],
    [(f) => f.load_balancer_types?.[0]?.prices.pop(), 'load_balancer_types[0].prices: has no price for location "sin"'],
    [(f) => owns(f, { ip_range: '192.0.2.0/24' }), 'external_addresses[0].project: is missing'],
    [
      (f) => owns(f, { project: ' web', ip_range: '192.0.2.0/24' }),
      'external_addresses[0].project: must match pattern "^\\S(.{0,126}\\S)?$"',
    ],
    [
      (f) => owns(f, { project: 'web', ip_range: '192.0.2.1' }),
      'external_addresses[0].ip_range: "192.0.2.1" has no mask, such as /32',
    ],
    [
      (f) => owns(f, { project: 'web', ip_range: '192.0.2.1/24' }),
      'external_addresses[0].ip_range: 192.0.2.1/24 has host bits set; the network is 192.0.2.0/24',
    ],
    [
      (f) => owns(f, { project: 'web', ip_range: '2001:db8::/32' }, { project: 'mail', ip_range: '2001:DB8::/32' }),
      'external_addresses[1].ip_range: "2001:db8::/32" is already used by external_addresses[0]',
    ],
    [
      (f) => owns(f, { project: 'web', ip_range: '192.0.2.7/32' }, { project: 'mail', ip_range: '192.0.0.0/16' }),
      'external_addresses[0].ip_range: lies within external_addresses[1]',
    ],
    [
      (f) => owns(f, { project: 'web', ip_range: '0.0.0.0/0' }, { project: 'web', ip_range: '10.0.0.0/8' }),
      'external_addresses[1].ip_range: lies within external_addresses[0]',
    ],
    [(f) => set(f.pricing, { currency: 'euro' }), 'pricing.currency: must match pattern "^[A-Z]{3}$"'],
    [
      (f) => set(f.pricing?.floating_ips[0]?.prices[1], { location: 'moon' }),
      'pricing.floating_ips[0].prices[1].location: there is no location "moon"',
    ],
    [
      (f) => set(f.pricing?.primary_ips[1]?.prices[1], { location: 'ash' }),
      'pricing.primary_ips[1].prices[1].location: "ash" is already used by pricing.primary_ips[1].prices[0]',
    ],
    [
      (f) => set(f.pricing?.primary_ips[1], { type: 'ipv4' }),
      'pricing.primary_ips[1].type: "ipv4" is already used by pricing.primary_ips[0]',
    ],
  ]
  for (const [change, message] of bad) {
    it(`reports ${message}`, () => {
      const file = fresh()
      change(file)
      assert.throws(() => parseCatalogue(file), { name: 'Error', message: `catalogue: ${message}` })
    })
  }

  it('reports a file that is no object', () => {
    assert.throws(() => parseCatalogue([]), { message: 'catalogue: must be object' })
    assert.throws(() => parseCatalogue(null), { message: 'catalogue: must be object' })
  })
})
