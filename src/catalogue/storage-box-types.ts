/** The built-in types of Storage Boxes with their prices. */
import { type Location, regionOf, type StorageBoxType } from './catalogue.ts'
import { hourlyPriceOf, priceOf } from './prices.ts'

const tebibyte = 1_024 ** 4

type Row = readonly [
  id: number,
  name: string,
  tebibytes: number,
  /** Made on request, and as many by a plan. */
  snapshots: number,
  /** Net, per month. */
  monthly: string,
]

const rows: readonly Row[] = [
  [1_333, 'bx11', 1, 10, '3.20'],
  [1_334, 'bx21', 5, 20, '10.90'],
  [1_335, 'bx31', 10, 30, '20.80'],
  [1_336, 'bx41', 20, 40, '40.60'],
]

/** The built-in types of Storage Boxes with their prices in those of some locations that offer them (spec: Storage Boxes). */
export function storageBoxTypesIn(places: readonly Location[]): readonly StorageBoxType[] {
  const locations = places.filter((place) => regionOf(place) === 'eu').map(({ name }) => name)
  return rows.map(([id, name, tebibytes, snapshots, monthly]) => ({
    id,
    name,
    description: name.toUpperCase(),
    snapshot_limit: snapshots,
    automatic_snapshot_limit: snapshots,
    subaccounts_limit: 100,
    size: tebibytes * tebibyte,
    prices: locations.toSorted().map((location) => {
      return {
        location,
        price_hourly: hourlyPriceOf(monthly),
        price_monthly: priceOf(monthly),
        setup_fee: priceOf('0'),
      }
    }),
    deprecation: null,
  }))
}
