import { firstOf, type Proof } from '../../../test/kit/proof.ts'
import type { SpecRows } from '../../../test/walks/spec/rows.ts'
import type { locationEndpoints } from './contract.ts'

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const spec: SpecRows = {
  fields: [
    {
      resource: 'Location',
      at: 'locations.get',
      key: 'location',
      fields: {
        id: 'integer',
        name: 'string',
        description: 'string',
        country: 'string',
        city: 'string',
        latitude: 'number',
        longitude: 'number',
        network_zone: 'string',
      },
    },
  ],
}

export const proof: Proof<typeof locationEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'locations') },
  spec,
}
