import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { builtIn } from './built-in.ts'
import { parseCatalogue } from './file.ts'
import { priceOf } from './prices.ts'

const extend = (file: object) => parseCatalogue({ extends: 'built-in', ...file })

const [cx23, fsn1] = [
  builtIn.server_types.find(({ name }) => name === 'cx23')!,
  builtIn.locations.find(({ name }) => name === 'fsn1')!,
]
const own = { ...cx23, id: 900, name: 'own1', description: 'OWN1', cores: 3 }
const attic = { ...fsn1, id: 9, name: 'attic', description: 'Attic' }

describe('a catalogue file that extends the built-in one', () => {
  it('changes nothing when it says nothing else', () => {
    assert.deepEqual(extend({}), builtIn)
  })

  it('adds vSwitches and addresses, and leaves all else as it is', () => {
    const given = { vswitches: [{ id: 4711 }], external_addresses: [{ project: 'web', ip_range: '192.0.2.0/28' }] }
    assert.deepEqual(extend(given), { ...builtIn, ...given })
  })

  it('adds entries, in any list', () => {
    const iso = { ...builtIn.isos[0]!, id: 900_001, name: 'own.iso' }
    const { server_types, isos } = extend({ server_types: [own], isos: [iso] })
    assert.deepEqual(server_types, [...builtIn.server_types, own])
    assert.deepEqual(isos, [...builtIn.isos, iso])
  })

  it('changes entries that it names by id or name, in the fields that it gives', () => {
    const deprecation = { announced: '2026-01-01T00:00:00Z', unavailable_after: '2026-06-01T00:00:00Z' }
    const data = extend({
      server_types: [{ name: 'cx23', cores: 3 }],
      images: [{ name: 'debian-13', architecture: 'arm', deprecation }],
      load_balancer_types: [{ id: 1, max_targets: 40 }],
    })
    const types = builtIn.server_types.map((type) => (type === cx23 ? { ...type, cores: 3 } : type))
    assert.deepEqual(data.server_types, types)
    const images = builtIn.images.map((image) =>
      image.name === 'debian-13' && image.architecture === 'arm' ? { ...image, deprecation } : image,
    )
    assert.deepEqual(data.images, images)
    assert.deepEqual(
      data.load_balancer_types.map(({ max_targets }) => max_targets),
      [40, 75, 150],
    )
  })

  it('changes one price, and leaves the others', () => {
    const price_monthly = priceOf('1.25')
    const data = extend({
      server_types: [{ name: 'cx23', prices: [{ location: 'fsn1', price_monthly }] }],
      pricing: { vat_rate: '7.00', floating_ips: [{ type: 'ipv6', prices: [{ location: 'ash', price_monthly }] }] },
    })
    const prices = data.server_types.find(({ name }) => name === 'cx23')!.prices
    assert.deepEqual(
      prices,
      cx23.prices.map((price) => (price.location === 'fsn1' ? { ...price, price_monthly } : price)),
    )
    assert.deepEqual([data.pricing.vat_rate, data.pricing.currency], ['7.00', 'EUR'])
    assert.deepEqual(data.pricing.floating_ips[0], builtIn.pricing.floating_ips[0])
    assert.deepEqual(data.pricing.floating_ips[1]!.prices, [
      { location: 'ash', price_monthly },
      ...builtIn.pricing.floating_ips[1]!.prices.slice(1),
    ])
  })

  it('offers in a location of its own what all locations have, and the types that it says', () => {
    const { price_hourly, price_monthly, included_traffic, price_per_tb_traffic } = cx23.prices[0]!
    const price = { location: 'attic', price_hourly, price_monthly, included_traffic, price_per_tb_traffic }
    const offer = { id: 9, name: 'attic', deprecation: null, available: true, recommended: true }
    const data = extend({
      locations: [attic],
      server_types: [{ name: 'cx23', prices: [price], locations: [offer] }],
    })
    assert.deepEqual(data.locations, [...builtIn.locations, attic])
    for (const { prices } of [...data.load_balancer_types, ...data.pricing.primary_ips])
      assert.ok(prices.some(({ location }) => location === 'attic'))
    const type = data.server_types.find(({ name }) => name === 'cx23')!
    assert.deepEqual([type.prices.at(-1), type.locations.at(-1)], [price, offer])
  })

  const bad: [file: object, message: string][] = [
    [{ extends: 'other' }, 'extends: must be "built-in"'],
    [{ vswitchs: [] }, 'vswitchs: unknown field'],
    [{ server_types: [{ name: 'cx23', core: 3 }] }, 'server_types[0].core: unknown field'],
    [
      { server_types: [{ name: 'cx23', prices: [{ location: 'fsn1', monthly: 1 }] }] },
      'server_types[0].prices[0].monthly: unknown field',
    ],
    [{ pricing: { floating_ip: {} } }, 'pricing.floating_ip: unknown field'],
    [{ server_types: {} }, 'server_types: must be array'],
    [{ locations: 5 }, 'locations: must be array'],
    [{ locations: [null] }, 'locations[0]: must be object'],
    [{ server_types: [{ cores: 3 }] }, 'server_types[0]: does not say which entry it is'],
    [{ images: [{ name: 'debian-13' }] }, 'images[0]: can be any of several entries: the id says which'],
    [{ server_types: [{ ...own, id: 22 }] }, 'server_types[0].name: the one with id 22 has "cpx11"'],
    [
      { server_types: [{ ...own, name: 'cx23' }] },
      'server_types[cx23].name: "cx23" is already used by server_types[cx23]',
    ],
    [
      { server_types: [{ name: 'cx23', cores: 3 }, { id: cx23.id }] },
      'server_types[1]: changes the same entry as server_types[0]',
    ],
    [
      { server_types: [own, { ...own, name: 'own2' }] },
      'server_types[own2].id: 900 is already used by server_types[own1]',
    ],
    [{ server_types: [{ name: 'cx2x', cores: 3 }] }, 'server_types[cx2x].id: is missing'],
    [{ server_types: [{ name: 'cx23', cores: '3' }] }, 'server_types[cx23].cores: must be integer'],
    [
      { server_types: [{ name: 'cx23', prices: [{ ...cx23.prices[0]!, location: 'moon' }] }] },
      'server_types[cx23].prices[moon].location: the type is not offered in "moon"',
    ],
    [
      { pricing: { primary_ips: [{ type: 'ipv4', prices: [{ ...cx23.prices[0]!, location: 'moon' }] }] } },
      'pricing.primary_ips[0].prices[0].included_traffic: unknown field',
    ],
    [
      { pricing: { floating_ips: [{ type: 'ipv4', prices: [{ location: 'moon', price_monthly: priceOf('1') }] }] } },
      'pricing.floating_ips[ipv4].prices[moon].location: there is no location "moon"',
    ],
    [
      { server_types: [{ name: 'cx23', prices: [{ location: 'fsn1', price_monthly: { net: '1' } }] }] },
      'server_types[cx23].prices[fsn1].price_monthly.gross: is missing',
    ],
    [{ locations: [{ id: 9, name: 'attic' }] }, 'locations[attic].description: is missing'],
    [{ vswitches: [{ id: 1 }, { id: 1 }] }, 'vswitches[1].id: 1 is already used by vswitches[1]'],
  ]
  for (const [file, message] of bad) {
    it(`reports ${message}`, () => {
      assert.throws(() => extend(file), { name: 'Error', message: `catalogue: ${message}` })
    })
  }
})
