/** The catalogue of an installation without a catalogue file. */
import type { CatalogueData } from './catalogue.ts'
import { images } from './images.ts'
import { isos } from './isos.ts'
import { loadBalancerTypesIn } from './load-balancer-types.ts'
import { locations } from './locations.ts'
import { pricingIn } from './pricing.ts'
import { serverTypes } from './server-types.ts'
import { storageBoxTypesIn } from './storage-box-types.ts'

/** All that is offered and what it costs (spec: Location, Server type, Load Balancer type, Storage Boxes, Image, ISO, Pricing). */
export const builtIn: CatalogueData = {
  locations,
  server_types: serverTypes,
  load_balancer_types: loadBalancerTypesIn(locations),
  storage_box_types: storageBoxTypesIn(locations),
  images,
  isos,
  pricing: pricingIn(locations),
  vswitches: [],
  external_addresses: [],
}
