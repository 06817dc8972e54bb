import type { CatalogueData } from './catalogue.ts'
import { images } from './images.ts'
import { isos } from './isos.ts'
import { locations } from './locations.ts'
import { priceListOf } from './price-list.ts'
import { serverTypes } from './server-types.ts'

/** The catalogue of an installation without a catalogue file (spec: Location, Image, ISO, Pricing). */
export const builtIn: CatalogueData = { locations, serverTypes, images, isos, priceList: priceListOf(locations) }
