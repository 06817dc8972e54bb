import { firstOf, type Proof } from '../../../test/kit/proof.ts'
import type { SpecRows } from '../../../test/walks/spec/rows.ts'
import type { datacenterEndpoints } from './contract.ts'

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const spec: SpecRows = {
  endpoints: [
    {
      section: 'Datacenters',
      endpoint: 'GET /datacenters',
      status: 200,
      query: ['name'],
      sort: ['id', 'name'],
      reply: ['datacenters', 'recommendation', 'meta'],
      also: [
        'datacenters.test.ts: as of April 2026 they are listed with their server types and a recommendation',
        'datacenters.test.ts: a name that cannot be one is refused, one that is nobody finds nothing',
        'datacenters.test.ts: since October 2026 they are gone, whatever else is wrong with the request',
      ],
    },
    {
      section: 'Datacenters',
      endpoint: 'GET /datacenters/{id}',
      status: 200,
      reply: ['datacenter'],
    },
  ],
  fields: [
    {
      resource: 'Datacenter',
      at: 'datacenters.get',
      key: 'datacenter',
      on: '2026-04-15T12:00:00Z',
      fields: {
        id: 'integer',
        name: 'string',
        description: 'string',
        location: 'object',
        server_types: 'object',
      },
    },
  ],
  sentences: [
    {
      section: 'Datacenters',
      says: 'They answer 410 since October 2026',
      tests: ['datacenters.test.ts: since October 2026 they are gone, whatever else is wrong with the request'],
    },
    {
      section: 'Additional rules',
      says: 'A name that no datacenter can have, and white space before a public key, are refused',
      tests: [
        'datacenters.test.ts: a name that cannot be one is refused, one that is nobody finds nothing',
        'ssh-keys.test.ts: white space before the key, and what is no key, is refused by the name of the field',
      ],
    },
  ],
}

export const proof: Proof<typeof datacenterEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'datacenters') },
  spec,
}
