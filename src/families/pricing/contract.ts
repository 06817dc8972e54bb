/** The price list on the wire (spec: Pricing). It comes from the catalogue; nobody writes it through the API. */
import { Type } from 'typebox'
import { until } from '../../kernel/contract/as-of.ts'
import { defineEndpoints, Id, named, nullable } from '../../kernel/contract/contract.ts'
import { LocationPrice, Price } from '../server-types/contract.ts'
import { StorageBoxPrice } from '../storage-box-types/contract.ts'
import { pricingChanges } from './changes.ts'

const AddressType = Type.Enum(['ipv4', 'ipv6'])
const PerGbMonth = Type.Object({ price_per_gb_month: Price })
const MonthlyPrice = Type.Object({ location: Type.String(), price_monthly: Price })
const HourlyPrice = named('HourlyPrice', { location: Type.String(), price_hourly: Price, price_monthly: Price })
const TypePrices = named('TypePrices', { id: Id, name: Type.String(), prices: Type.Array(LocationPrice) })

export const Pricing = named('Pricing', {
  currency: Type.String({ description: 'ISO 4217 code' }),
  vat_rate: Type.String({ description: 'Percent' }),
  image: PerGbMonth,
  volume: PerGbMonth,
  floating_ip: Type.Object({ price_monthly: Price }, { description: 'Deprecated in August 2024; use floating_ips' }),
  floating_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(MonthlyPrice) })),
  primary_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(HourlyPrice) })),
  server_backup: Type.Object({ percentage: Type.String({ description: 'Percent of the price of the server' }) }),
  server_types: Type.Array(TypePrices),
  load_balancer_types: Type.Array(TypePrices),
  storage_box_types: Type.Array(Type.Object({ id: Id, name: Type.String(), prices: Type.Array(StorageBoxPrice) })),
  traffic: until(pricingChanges.pricing_traffic_removed, nullable(Type.Object({ price_per_tb: Price }))),
})

export const spelling = { type: 'pricing', path: 'pricing', title: 'pricing', titles: 'pricing' } as const

export const pricingEndpoints = defineEndpoints({
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/pricing',
    summary: 'Get the prices of everything',
    section: 'Pricing',
    status: 200,
    reply: Type.Object({ pricing: Pricing }),
    errors: [],
  },
})
