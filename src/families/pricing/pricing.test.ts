import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock } from '../../../test/kit/harness.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'

const everywhere = ['ash', 'fsn1', 'hel1', 'hil', 'nbg1', 'sin']

interface Prices {
  readonly type?: string
  readonly name?: string
  readonly prices: readonly { readonly location: string; readonly price_monthly: { readonly net: string } }[]
}

const monthly = ({ prices }: Prices, location: string) =>
  prices.find((price) => price.location === location)?.price_monthly.net

forProjects('the price list', (open) => {
  test('every amount is the one of the catalogue', async () => {
    const { api } = await open()
    const { pricing } = (await api.get('/pricing')).body
    assert.deepEqual([pricing.currency, pricing.vat_rate], ['EUR', '19.00'])
    assert.deepEqual(pricing.image.price_per_gb_month, { net: '0.0143000000', gross: '0.0170170000000000' })
    assert.deepEqual(pricing.volume.price_per_gb_month, { net: '0.0572000000', gross: '0.0680680000000000' })
    assert.deepEqual(pricing.server_backup, { percentage: '20.00' })
    for (const list of [pricing.floating_ips, pricing.primary_ips]) {
      assert.deepEqual(
        list.map(({ type }: Prices) => type),
        ['ipv4', 'ipv6'],
      )
      for (const { prices } of list as Prices[]) {
        assert.deepEqual(
          prices.map(({ location }) => location),
          everywhere,
        )
      }
    }
    assert.equal(monthly(pricing.floating_ips[0], 'fsn1'), '3.0000000000')
    assert.equal(monthly(pricing.floating_ips[1], 'fsn1'), '1.0000000000')
    assert.deepEqual(pricing.floating_ip.price_monthly, pricing.floating_ips[0].prices[0].price_monthly)
    assert.deepEqual(pricing.primary_ips[0].prices[0], {
      location: 'ash',
      price_hourly: { net: '0.0008000000', gross: '0.0009520000000000' },
      price_monthly: { net: '0.5000000000', gross: '0.5950000000000000' },
    })
    assert.equal(monthly(pricing.primary_ips[1], 'ash'), '0.0000000000')
    assert.deepEqual(
      pricing.load_balancer_types.map((type: Prices) => [type.name, monthly(type, 'nbg1')]),
      [
        ['lb11', '5.3900000000'],
        ['lb21', '16.4000000000'],
        ['lb31', '32.9000000000'],
      ],
    )
  })

  test('server types cost what they say themselves, and only those that can be ordered are priced', async () => {
    const { api } = await open()
    const { pricing } = (await api.get('/pricing')).body
    const { server_types: types } = (await api.get('/server_types?per_page=50')).body
    assert.deepEqual(
      pricing.server_types,
      types.map(({ id, name, prices }: { id: number; name: string; prices: object[] }) => ({ id, name, prices })),
    )
  })

  test('an operator sets currency and prices', async () => {
    const cheap = { ...builtIn.pricing, currency: 'CHF', floating_ips: [] }
    const { api } = await open({ catalogue: openCatalogue({ ...builtIn, pricing: cheap }) })
    const { pricing } = (await api.get('/pricing')).body
    assert.deepEqual([pricing.currency, pricing.floating_ips], ['CHF', []])
    assert.equal(pricing.floating_ip.price_monthly.net, '0.0000000000')
  })

  test('traffic had one price until August 2024, was null until November 2024, and is gone', async () => {
    const clock = testClock('2024-06-30T12:00:00Z')
    const { api } = await open({ clock })
    const ask = async () => (await api.get('/pricing')).body.pricing
    const before = await ask()
    assert.deepEqual(before.traffic, { price_per_tb: { net: '1.0000000000', gross: '1.1900000000000000' } })
    assert.ok(!('included_traffic' in before.server_types[0].prices[0]))
    clock.advance(Date.parse('2024-08-01') - clock.now())
    const between = await ask()
    assert.equal(between.traffic, null)
    assert.ok('included_traffic' in between.server_types[0].prices[0])
    clock.advance(Date.parse('2024-11-01') - clock.now())
    assert.ok(!('traffic' in (await ask())))
  })
})
