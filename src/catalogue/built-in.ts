/** The catalogue of an installation without a catalogue file. */
import type { CatalogueData } from './catalogue.ts'
import { images } from './images.ts'
import { isos } from './isos.ts'
import { loadBalancerTypesIn } from './load-balancer-types.ts'
import { locations } from './locations.ts'
import { priceListOf } from './price-list.ts'
import { serverTypes } from './server-types.ts'

/** All that is offered and what it costs (spec: Location, Server type, Load Balancer type, Image, ISO, Pricing). */
export const builtIn: CatalogueData = {
  locations,
  serverTypes,
  loadBalancerTypes: loadBalancerTypesIn(locations),
  images,
  isos,
  priceList: priceListOf(locations),
}
