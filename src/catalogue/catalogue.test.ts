import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtIn } from './built-in.ts'
import {
  loadBalancerTypeIsListed,
  openCatalogue,
  type ServerType,
  serverTypeIsListed,
  serverTypeOrderable,
} from './catalogue.ts'
import { hourlyPriceOf, priceOf } from './prices.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const catalogue = openCatalogue(builtIn)
const listedTypes = catalogue.server_types.filter((type) => serverTypeIsListed(type, now))

function typeNamed(name: string): ServerType {
  const type = catalogue.serverTypeByName(name)
  assert.ok(type, name)
  return type
}

describe('openCatalogue', () => {
  const shuffled = {
    ...builtIn,
    locations: builtIn.locations.toReversed(),
    server_types: builtIn.server_types.toReversed(),
    load_balancer_types: builtIn.load_balancer_types.toReversed(),
    images: builtIn.images.toReversed(),
    isos: builtIn.isos.toReversed(),
  }

  it('sorts by id whatever the order of its input', () => {
    for (const list of ['locations', 'server_types', 'load_balancer_types', 'images', 'isos'] as const) {
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
    assert.equal(catalogue.loadBalancerTypeById(1), catalogue.loadBalancerTypeByName('lb11'))
    assert.equal(catalogue.imageById(12345), undefined)
    assert.equal(catalogue.locationById(7), undefined)
    assert.equal(catalogue.locationByName('FSN1'), undefined)
    assert.equal(catalogue.serverTypeById(1094321), undefined)
    assert.equal(catalogue.serverTypeByName('constructor'), undefined)
    assert.equal(catalogue.loadBalancerTypeById(4), undefined)
    assert.equal(catalogue.loadBalancerTypeByName('LB11'), undefined)
    assert.deepEqual(catalogue.imagesByName('no-such-image'), [])
  })
})

describe('built-in locations', () => {
  it('are the six that clients compare one by one', () => {
    assert.deepEqual(
      catalogue.locations.map(({ id, name, description, network_zone }) => [id, name, description, network_zone]),
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
      catalogue.server_types.map((t) => [t.id, t.name, t.description, t.cores, t.memory, t.disk]),
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
      const types = catalogue.server_types.filter(({ name }) => prefix.test(name))
      assert.ok(types.length > 0)
      for (const type of types) {
        assert.deepEqual([type.architecture, type.cpu_type, type.category], [architecture, cpuType, category])
        assert.equal(type.locations.map(({ name }) => name).join(' '), where)
        assert.equal(type.storage_type, 'local')
      }
    })
  }

  it('list cpx11 and cpx21 first and leave out the ended types', () => {
    assert.deepEqual(
      listedTypes.slice(0, 2).map(({ id }) => id),
      [22, 23],
    )
    const unlisted = catalogue.server_types.filter((type) => !listedTypes.includes(type))
    assert.deepEqual(
      unlisted.map(({ id }) => id),
      [1, 104, 105, 106, 107],
    )
    assert.ok(listedTypes.every(({ deprecation }) => deprecation === null))
  })

  it('keep cx11 readable with the dates clients know', () => {
    const end = { announced: '2024-06-06T08:00:00Z', unavailable_after: '2024-09-06T00:00:00Z' }
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
    for (const type of catalogue.server_types) {
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
      price_hourly: { net: '0.0312000000', gross: '0.0371280000000000' },
      price_monthly: { net: '19.4900000000', gross: '23.1931000000000000' },
      included_traffic: 21990232555520,
      price_per_tb_traffic: { net: '1.0000000000', gross: '1.1900000000000000' },
    })
    assert.equal(cost('sin')?.included_traffic, 1099511627776)
    assert.equal(cost('sin')?.price_per_tb_traffic.net, '7.4000000000')
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
    const ending = { announced: '2026-12-01T00:00:00Z', unavailable_after: '2027-01-01T00:00:00Z' }
    const [first, ...others] = type.locations
    const partly = { ...type, locations: [{ ...first!, deprecation: ending }, ...others] }
    const fully = { ...type, locations: type.locations.map((location) => ({ ...location, deprecation: ending })) }
    const end = Date.parse(ending.unavailable_after)
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

describe('built-in types of Load Balancers', () => {
  it('have the sizes that clients know', () => {
    assert.deepEqual(
      catalogue.load_balancer_types.map((type) => [
        type.id,
        type.name,
        type.description,
        type.max_connections,
        type.max_services,
        type.max_targets,
        type.max_assigned_certificates,
        type.deprecation,
      ]),
      [
        [1, 'lb11', 'LB11', 10_000, 5, 25, 10, null],
        [2, 'lb21', 'LB21', 20_000, 15, 75, 25, null],
        [3, 'lb31', 'LB31', 40_000, 30, 150, 50, null],
      ],
    )
  })

  it('have a price in every location, and most traffic in Europe', () => {
    const included = Object.fromEntries(
      catalogue.load_balancer_types.map(({ name, prices }) => [
        name,
        Object.fromEntries(prices.map(({ location, included_traffic }) => [location, included_traffic / 2 ** 40])),
      ]),
    )
    assert.deepEqual(included, {
      lb11: { ash: 1, fsn1: 20, hel1: 20, hil: 1, nbg1: 20, sin: 1 },
      lb21: { ash: 2, fsn1: 30, hel1: 30, hil: 2, nbg1: 30, sin: 2 },
      lb31: { ash: 3, fsn1: 40, hel1: 40, hil: 3, nbg1: 40, sin: 3 },
    })
  })

  it('are listed until the end of their deprecation', () => {
    const end = '2027-01-01T00:00:00Z'
    const [type] = catalogue.load_balancer_types
    const ending = { ...type!, deprecation: { announced: '2026-12-01T00:00:00Z', unavailable_after: end } }
    assert.equal(loadBalancerTypeIsListed(ending, Date.parse(end)), true)
    assert.equal(loadBalancerTypeIsListed(ending, Date.parse(end) + 1), false)
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
      assert.ok(
        found.every(({ type, disk_size, rapid_deploy }) => type === 'system' && disk_size === 5 && rapid_deploy),
      )
    }
    assert.equal(catalogue.images.filter(({ type }) => type === 'system').length, names.length * 2)
  })

  it('split the distribution into flavor and version', () => {
    const shown = ['centos-stream-9', 'alma-10', 'docker-ce'].map((name) => catalogue.imagesByName(name)[0])
    assert.deepEqual(
      shown.map((image) => [image?.os_flavor, image?.os_version, image?.type, image?.disk_size]),
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
      assert.ok(Date.parse(deprecation!.unavailable_after) > now)
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
