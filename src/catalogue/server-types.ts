/** The built-in server types with their prices and locations. */
import {
  type Architecture,
  type Deprecation,
  type Location,
  type LocationPrice,
  type Region,
  regionOf,
  type ServerType,
} from './catalogue.ts'
import { locations } from './locations.ts'
import { locationPriceOf } from './pricing.ts'

/** Monthly net price and included traffic (TiB) of a type in one region. */
type Offer = readonly [monthly: string, traffic: number]

type Row = readonly [
  id: number,
  name: string,
  cores: number,
  memory: number,
  disk: number,
  offers: Readonly<Partial<Record<Region, Offer>>>,
]

type Family = {
  readonly architecture: Architecture
  readonly cpu_type: 'shared' | 'dedicated'
  readonly category: string | null
  readonly deprecation: Deprecation | null
  readonly recommended: boolean
  readonly describe: (name: string) => string
  readonly rows: readonly Row[]
}

const upperCase = (name: string) => name.toUpperCase()

const shared = {
  architecture: 'x86',
  cpu_type: 'shared',
  deprecation: null,
  recommended: true,
  describe: upperCase,
} as const

const firstGeneration: Family = {
  ...shared,
  category: null,
  deprecation: { announced: '2024-06-06T08:00:00Z', unavailable_after: '2024-09-06T00:00:00Z' },
  rows: [[1, 'cx11', 1, 2, 20, { eu: ['3.29', 20] }]],
}

const olderAmd: Family = {
  ...shared,
  category: 'regular_purpose',
  recommended: false,
  // Clients expect a space in the descriptions of this generation only.
  describe: (name) => name.toUpperCase().replace('CPX', 'CPX '),
  rows: [
    [22, 'cpx11', 2, 2, 40, { us: ['4.49', 1] }],
    [23, 'cpx21', 3, 4, 80, { us: ['8.49', 2] }],
    [24, 'cpx31', 4, 8, 160, { us: ['15.99', 3] }],
    [25, 'cpx41', 8, 16, 240, { us: ['29.99', 4] }],
    [26, 'cpx51', 16, 32, 360, { us: ['60.49', 5] }],
  ],
}

const arm: Family = {
  ...shared,
  architecture: 'arm',
  category: 'cost_optimized',
  rows: [
    [45, 'cax11', 2, 4, 40, { eu: ['5.99', 20] }],
    [93, 'cax21', 4, 8, 80, { eu: ['10.49', 20] }],
    [94, 'cax31', 8, 16, 160, { eu: ['20.49', 20] }],
    [95, 'cax41', 16, 32, 320, { eu: ['40.49', 20] }],
  ],
}

const dedicated: Family = {
  ...shared,
  cpu_type: 'dedicated',
  category: 'general_purpose',
  rows: [
    [96, 'ccx13', 2, 8, 80, { eu: ['42.99', 20], us: ['42.99', 1], sin: ['51.99', 1] }],
    [97, 'ccx23', 4, 16, 160, { eu: ['85.99', 20], us: ['85.99', 2], sin: ['103.49', 2] }],
    [98, 'ccx33', 8, 32, 240, { eu: ['138.49', 30], us: ['138.49', 3], sin: ['166.49', 3] }],
    [99, 'ccx43', 16, 64, 360, { eu: ['275.99', 40], us: ['275.99', 4], sin: ['331.49', 4] }],
    [100, 'ccx53', 32, 128, 600, { eu: ['551.99', 50], us: ['551.99', 6], sin: ['662.49', 6] }],
    [101, 'ccx63', 48, 192, 960, { eu: ['827.99', 60], us: ['827.99', 8], sin: ['993.99', 8] }],
  ],
}

const olderIntel: Family = {
  ...shared,
  category: 'cost_optimized',
  deprecation: { announced: '2025-10-16T06:00:00Z', unavailable_after: '2025-12-31T23:59:59Z' },
  rows: [
    [104, 'cx22', 2, 4, 40, { eu: ['3.29', 20] }],
    [105, 'cx32', 4, 8, 80, { eu: ['5.49', 20] }],
    [106, 'cx42', 8, 16, 160, { eu: ['13.49', 20] }],
    [107, 'cx52', 16, 32, 320, { eu: ['26.49', 20] }],
  ],
}

const amd: Family = {
  ...shared,
  category: 'regular_purpose',
  rows: [
    [108, 'cpx12', 1, 2, 40, { eu: ['10.49', 20], sin: ['12.99', 1] }],
    [109, 'cpx22', 2, 4, 80, { eu: ['19.49', 20], sin: ['23.49', 1] }],
    [110, 'cpx32', 4, 8, 160, { eu: ['35.49', 20], sin: ['42.99', 2] }],
    [111, 'cpx42', 8, 16, 320, { eu: ['69.49', 20], sin: ['83.49', 3] }],
    [112, 'cpx52', 12, 24, 480, { eu: ['100.49', 20], sin: ['120.99', 4] }],
    [113, 'cpx62', 16, 32, 640, { eu: ['129.99', 20], sin: ['155.99', 5] }],
  ],
}

const intel: Family = {
  ...shared,
  category: 'cost_optimized',
  rows: [
    [114, 'cx23', 2, 4, 40, { eu: ['5.49', 20] }],
    [115, 'cx33', 4, 8, 80, { eu: ['8.49', 20] }],
    [116, 'cx43', 8, 16, 160, { eu: ['15.99', 20] }],
    [117, 'cx53', 16, 32, 320, { eu: ['29.49', 20] }],
  ],
}

const families = [firstGeneration, olderAmd, arm, dedicated, olderIntel, amd, intel]

/** The built-in server types in id order, including types that can no longer be ordered. OpenAPI `server_type`. */
export const serverTypes: readonly ServerType[] = families.flatMap((family) =>
  family.rows.map((row) => serverTypeOf(family, row)),
)

function serverTypeOf(family: Family, [id, name, cores, memory, disk, offers]: Row): ServerType {
  const offeredIn = locations.filter((location) => offers[regionOf(location)] !== undefined)
  const { architecture, category, cpu_type, deprecation, recommended } = family
  return {
    id,
    name,
    description: family.describe(name),
    category,
    cores,
    memory,
    disk,
    storage_type: 'local',
    cpu_type,
    architecture,
    prices: pricesOf(offers, offeredIn),
    locations: offeredIn.map((location) => ({
      id: location.id,
      name: location.name,
      deprecation,
      available: true,
      recommended,
    })),
    deprecation,
  }
}

function pricesOf(offers: Row[5], offeredIn: readonly Location[]): readonly LocationPrice[] {
  const prices = offeredIn.map((location) => locationPriceOf(location, ...offers[regionOf(location)]!))
  return prices.sort((a, b) => (a.location < b.location ? -1 : 1))
}
