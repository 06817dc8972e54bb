import type { CatalogueData } from './catalogue.ts'
import { images } from './images.ts'
import { locations } from './locations.ts'
import { serverTypes } from './server-types.ts'

/** The catalogue of an installation without a catalogue file (spec: Location, Image). */
export const builtIn: CatalogueData = { locations, serverTypes, images }
