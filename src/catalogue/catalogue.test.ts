import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtIn } from './built-in.ts'
import { openCatalogue, type ServerType, serverTypeIsListed, serverTypeOrderable } from './catalogue.ts'
import { type CatalogueFile, parseCatalogue, toFile } from './file.ts'
import { hourlyPriceOf, priceOf } from './prices.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const catalogue = openCatalogue(builtIn)
const listedTypes = catalogue.serverTypes.filter((type) => serverTypeIsListed(type, now))

function typeNamed(name: string): ServerType {
  const type = catalogue.serverTypeByName(name)
  assert.ok(type, name)
  return type
}

describe('openCatalogue', () => {
  const shuffled = {
    locations: builtIn.locations.toReversed(),
    serverTypes: builtIn.serverTypes.toReversed(),
    images: builtIn.images.toReversed(),
    isos: builtIn.isos.toReversed(),
    priceList: builtIn.priceList,
  }

  it('sorts by id whatever the order of its input', () => {
    for (const list of ['locations', 'serverTypes', 'images', 'isos'] as const) {
      const ids = openCatalogue(shuffled)[list].map(({ id }) => id)
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(ids).size, builtIn[list].length)
    }
  })

  it('finds by id and name, and gives undefined for the unknown', () => {
    assert.equal(catalogue.locationById(3), catalogue.locationByName('hel1'))
    assert.equal(catalogue.serverTypeById(1), catalogue.serverTypeByName('cx11'))
    assert.equal(catalogue.imageById(12345), undefined)
    assert.equal(catalogue.locationById(7), undefined)
    assert.equal(catalogue.locationByName('FSN1'), undefined)
    assert.equal(catalogue.serverTypeById(1094321), undefined)
    assert.equal(catalogue.serverTypeByName('constructor'), undefined)
    assert.deepEqual(catalogue.imagesByName('no-such-image'), [])
  })
})

describe('built-in locations', () => {
  it('are the six that clients compare one by one', () => {
    assert.deepEqual(
      catalogue.locations.map(({ id, name, description, networkZone }) => [id, name, description, networkZone]),
      [
        [1, 'fsn1', 'Falkenstein DC Park 1', 'eu-central'],
        [2, 'nbg1', 'Nuremberg DC Park 1', 'eu-central'],
        [3, 'hel1', 'Helsinki DC Park 1', 'eu-central'],
        [4, 'ash', 'Ashburn, VA', 'us-east'],
        [5, 'hil', 'Hillsboro, OR', 'us-west'],
        [6, 'sin', 'Singapore', 'ap-southeast'],
      ],
    )
  })
})

describe('built-in server types', () => {
  const expected: [id: number, name: string, description: string, cores: number, memory: number, disk: number][] = [
    [1, 'cx11', 'CX11', 1, 2, 20],
    [22, 'cpx11', 'CPX 11', 2, 2, 40],
    [23, 'cpx21', 'CPX 21', 3, 4, 80],
    [24, 'cpx31', 'CPX 31', 4, 8, 160],
    [25, 'cpx41', 'CPX 41', 8, 16, 240],
    [26, 'cpx51', 'CPX 51', 16, 32, 360],
    [45, 'cax11', 'CAX11', 2, 4, 40],
    [93, 'cax21', 'CAX21', 4, 8, 80],
    [94, 'cax31', 'CAX31', 8, 16, 160],
    [95, 'cax41', 'CAX41', 16, 32, 320],
    [96, 'ccx13', 'CCX13', 2, 8, 80],
    [97, 'ccx23', 'CCX23', 4, 16, 160],
    [98, 'ccx33', 'CCX33', 8, 32, 240],
    [99, 'ccx43', 'CCX43', 16, 64, 360],
    [100, 'ccx53', 'CCX53', 32, 128, 600],
    [101, 'ccx63', 'CCX63', 48, 192, 960],
    [104, 'cx22', 'CX22', 2, 4, 40],
    [105, 'cx32', 'CX32', 4, 8, 80],
    [106, 'cx42', 'CX42', 8, 16, 160],
    [107, 'cx52', 'CX52', 16, 32, 320],
    [108, 'cpx12', 'CPX12', 1, 2, 40],
    [109, 'cpx22', 'CPX22', 2, 4, 80],
    [110, 'cpx32', 'CPX32', 4, 8, 160],
    [111, 'cpx42', 'CPX42', 8, 16, 320],
    [112, 'cpx52', 'CPX52', 12, 24, 480],
    [113, 'cpx62', 'CPX62', 16, 32, 640],
    [114, 'cx23', 'CX23', 2, 4, 40],
    [115, 'cx33', 'CX33', 4, 8, 80],
    [116, 'cx43', 'CX43', 8, 16, 160],
    [117, 'cx53', 'CX53', 16, 32, 320],
  ]

  it('have the published ids, names and sizes', () => {
    assert.deepEqual(
      catalogue.serverTypes.map((t) => [t.id, t.name, t.description, t.cores, t.memory, t.disk]),
      expected,
    )
  })

  const families: [prefix: RegExp, architecture: string, cpuType: string, category: string | null, where: string][] = [
    [/^cx11$/, 'x86', 'shared', null, 'fsn1 nbg1 hel1'],
    [/^cx.[23]$/, 'x86', 'shared', 'cost_optimized', 'fsn1 nbg1 hel1'],
    [/^cpx.1$/, 'x86', 'shared', 'regular_purpose', 'ash hil'],
    [/^cpx.2$/, 'x86', 'shared', 'regular_purpose', 'fsn1 nbg1 hel1 sin'],
    [/^cax/, 'arm', 'shared', 'cost_optimized', 'fsn1 nbg1 hel1'],
    [/^ccx/, 'x86', 'dedicated', 'general_purpose', 'fsn1 nbg1 hel1 ash hil sin'],
  ]

  for (const [prefix, architecture, cpuType, category, where] of families) {
    it(`${prefix.source} are ${architecture}, ${cpuType} and offered in ${where}`, () => {
      const types = catalogue.serverTypes.filter(({ name }) => prefix.test(name))
      assert.ok(types.length > 0)
      for (const type of types) {
        assert.deepEqual([type.architecture, type.cpuType, type.category], [architecture, cpuType, category])
        assert.equal(type.locations.map(({ name }) => name).join(' '), where)
        assert.equal(type.storageType, 'local')
      }
    })
  }

  it('list cpx11 and cpx21 first and leave out the ended types', () => {
    assert.deepEqual(
      listedTypes.slice(0, 2).map(({ id }) => id),
      [22, 23],
    )
    const unlisted = catalogue.serverTypes.filter((type) => !listedTypes.includes(type))
    assert.deepEqual(
      unlisted.map(({ id }) => id),
      [1, 104, 105, 106, 107],
    )
    assert.ok(listedTypes.every(({ deprecation }) => deprecation === null))
  })

  it('keep cx11 readable with the dates clients know', () => {
    const end = { announced: '2024-06-06T08:00:00Z', unavailableAfter: '2024-09-06T00:00:00Z' }
    const type = typeNamed('cx11')
    assert.deepEqual(type.deprecation, end)
    assert.deepEqual(type.locations[0], {
      id: 1,
      name: 'fsn1',
      deprecation: end,
      available: true,
      recommended: true,
    })
  })

  it('offer cpx22 in four locations, all available and recommended', () => {
    const { locations } = typeNamed('cpx22')
    assert.deepEqual(
      locations.map(({ id }) => id),
      [1, 2, 3, 6],
    )
    assert.ok(locations.every(({ available, recommended }) => available && recommended))
  })

  it('give one price per location, ordered by its name', () => {
    for (const type of catalogue.serverTypes) {
      const names = type.locations.map(({ name }) => name)
      assert.deepEqual(
        type.prices.map(({ location }) => location),
        names.toSorted(),
      )
    }
  })

  it('price by region', () => {
    const { prices } = typeNamed('cpx22')
    const cost = (location: string) => prices.find((price) => price.location === location)
    assert.deepEqual(cost('hel1'), {
      location: 'hel1',
      priceHourly: { net: '0.0312000000', gross: '0.0371280000000000' },
      priceMonthly: { net: '19.4900000000', gross: '23.1931000000000000' },
      includedTraffic: 21990232555520,
      pricePerTbTraffic: { net: '1.0000000000', gross: '1.1900000000000000' },
    })
    assert.equal(cost('sin')?.includedTraffic, 1099511627776)
    assert.equal(cost('sin')?.pricePerTbTraffic.net, '7.4000000000')
  })
})

describe('serverTypeOrderable', () => {
  const cases: [name: string, locationId: number, expected: boolean][] = [
    ['cpx12', 3, true],
    ['cpx22', 3, true],
    ['cpx22', 4, false],
    ['cpx22', 99, false],
    ['cpx11', 4, true],
    ['cx11', 1, false],
    ['cx22', 3, false],
  ]
  for (const [name, locationId, expected] of cases) {
    it(`${expected ? 'accepts' : 'refuses'} ${name} in location ${locationId}`, () => {
      assert.equal(serverTypeOrderable(typeNamed(name), locationId, now), expected)
    })
  }

  it('ends with the date of the location, and the listing with the last location', () => {
    const type = typeNamed('cpx22')
    const ending = { announced: '2026-12-01T00:00:00Z', unavailableAfter: '2027-01-01T00:00:00Z' }
    const [first, ...others] = type.locations
    const partly = { ...type, locations: [{ ...first!, deprecation: ending }, ...others] }
    const fully = { ...type, locations: type.locations.map((location) => ({ ...location, deprecation: ending })) }
    const end = Date.parse(ending.unavailableAfter)
    assert.equal(serverTypeOrderable(partly, 1, end), true)
    assert.equal(serverTypeOrderable(partly, 1, end + 1), false)
    assert.equal(serverTypeOrderable(partly, 2, end + 1), true)
    assert.equal(serverTypeIsListed(partly, end + 1), true)
    assert.equal(serverTypeIsListed(fully, end), true)
    assert.equal(serverTypeIsListed(fully, end + 1), false)
  })

  it('does not take the availability hint for an answer', () => {
    const type = typeNamed('cax11')
    const full = { ...type, locations: type.locations.map((location) => ({ ...location, available: false })) }
    assert.equal(serverTypeOrderable(full, 1, now), true)
    assert.equal(serverTypeIsListed(full, now), true)
  })
})

describe('built-in images', () => {
  const asserted: [id: number, name: string, architecture: string, description: string][] = [
    [67794396, 'ubuntu-22.04', 'x86', 'Ubuntu 22.04'],
    [161547269, 'ubuntu-24.04', 'x86', 'Ubuntu 24.04'],
    [161547270, 'ubuntu-24.04', 'arm', 'Ubuntu 24.04'],
    [114690387, 'debian-12', 'x86', 'Debian 12'],
    [114690389, 'debian-12', 'arm', 'Debian 12'],
    [310554929, 'debian-13', 'x86', 'Debian 13'],
    [40093247, 'docker-ce', 'x86', 'docker-ce'],
  ]
  for (const [id, name, architecture, description] of asserted) {
    it(`have ${name} for ${architecture} under id ${id}`, () => {
      const image = catalogue.imageById(id)
      assert.deepEqual([image?.name, image?.architecture, image?.description], [name, architecture, description])
    })
  }

  it('have every system image for both architectures', () => {
    const names = `ubuntu-22.04 ubuntu-24.04 ubuntu-26.04 debian-11 debian-12 debian-13 centos-stream-9 centos-stream-10
      rocky-8 rocky-9 rocky-10 alma-8 alma-9 alma-10 fedora-42 fedora-43 opensuse-15 opensuse-16`.split(/\s+/)
    for (const name of names) {
      const found = catalogue.imagesByName(name)
      assert.deepEqual(found.map(({ architecture }) => architecture).sort(), ['arm', 'x86'], name)
      assert.ok(found.every(({ type, diskSize, rapidDeploy }) => type === 'system' && diskSize === 5 && rapidDeploy))
    }
    assert.equal(catalogue.images.filter(({ type }) => type === 'system').length, names.length * 2)
  })

  it('split the distribution into flavor and version', () => {
    const shown = ['centos-stream-9', 'alma-10', 'docker-ce'].map((name) => catalogue.imagesByName(name)[0])
    assert.deepEqual(
      shown.map((image) => [image?.osFlavor, image?.osVersion, image?.type, image?.diskSize]),
      [
        ['centos', 'stream9', 'system', 5],
        ['alma', '10', 'system', 5],
        ['ubuntu', 'unknown', 'app', 40],
      ],
    )
  })

  it('have only debian-11 deprecated, announced and not yet ended', () => {
    const deprecated = catalogue.images.filter(({ deprecation }) => deprecation !== null)
    assert.deepEqual(new Set(deprecated.map(({ name }) => name)), new Set(['debian-11']))
    for (const { deprecation } of deprecated) {
      assert.ok(Date.parse(deprecation!.announced) < now)
      assert.ok(Date.parse(deprecation!.unavailableAfter) > now)
    }
  })
})

describe('prices', () => {
  const cases: [net: string, expected: string, gross: string][] = [
    ['3.29', '3.2900000000', '3.9151000000000000'],
    ['0', '0.0000000000', '0.0000000000000000'],
    ['0.0000000001', '0.0000000001', '0.0000000001190000'],
    ['0.07', '0.0700000000', '0.0833000000000000'],
    ['123456789012.3456789012', '123456789012.3456789012', '146913578924.6913578924280000'],
  ]
  for (const [net, expected, gross] of cases) {
    it(`of ${net} are exact`, () => assert.deepEqual(priceOf(net), { net: expected, gross }))
  }

  const hourly: [monthly: string, net: string][] = [
    ['5.49', '0.0088000000'],
    ['4.49', '0.0072000000'],
    ['0.0312', '0.0001000000'],
    ['0.0311', '0.0000000000'],
    ['624', '1.0000000000'],
  ]
  for (const [monthly, net] of hourly) {
    it(`of an hour at ${monthly} a month are ${net}`, () => assert.equal(hourlyPriceOf(monthly).net, net))
  }

  for (const net of ['', '-1', '1.', '.5', '1e3', '0.12345678901']) {
    it(`refuse ${JSON.stringify(net)}`, () => assert.throws(() => priceOf(net), RangeError))
  }
})

describe('catalogue file', () => {
  const fresh = (): CatalogueFile => JSON.parse(JSON.stringify(toFile(builtIn)))

  it('round-trips the built-in catalogue through JSON', () => {
    assert.deepEqual(parseCatalogue(fresh()), builtIn)
  })

  it('has the built-in prices in its own locations when it has none', () => {
    const { pricing: _, ...file } = fresh()
    assert.deepEqual(parseCatalogue(file), builtIn)
  })

  it('writes the field names of the API', () => {
    const { server_types, images } = fresh()
    assert.deepEqual(Object.keys(server_types[0]!.prices[0]!), [
      'location',
      'price_hourly',
      'price_monthly',
      'included_traffic',
      'price_per_tb_traffic',
    ])
    const debian11 = images.find(({ name }) => name === 'debian-11')
    assert.deepEqual(Object.keys(debian11?.deprecation ?? {}), ['announced', 'unavailable_after'])
  })

  it('ignores fields it does not know and normalises timestamps', () => {
    const file = fresh()
    const first = { ...file.images[0]!, created: '2021-08-16T13:12:01.250+02:00', labels: {} }
    assert.deepEqual(parseCatalogue({ ...file, images: [first, ...file.images.slice(1)], volumes: [] }), builtIn)
  })

  it('has no ISOs when it was written before there were any', () => {
    const { isos: _, ...file } = fresh()
    assert.deepEqual(parseCatalogue(file), { ...builtIn, isos: [] })
  })

  // The mutations break the declared shape on purpose.
  const set = (target: object | undefined, values: Record<string, unknown>) => void Object.assign(target!, values)
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
