import { firstOf, type Proof } from '../../../test/kit/proof.ts'
import type { SpecRows } from '../../../test/walks/spec/rows.ts'
import type { loadBalancerTypeEndpoints } from './contract.ts'

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const section = 'Load Balancer types'

const spec: SpecRows = {
  endpoints: [
    {
      section,
      endpoint: 'GET /load_balancer_types',
      status: 200,
      query: ['name', 'page', 'per_page'],
      effects: { name: { empty: 'nothing', keeps: ['lb21'] } },
      reply: ['load_balancer_types', 'meta'],
      inWords: true,
    },
    {
      section,
      endpoint: 'GET /load_balancer_types/{id}',
      status: 200,
      reply: ['load_balancer_type'],
      inWords: true,
    },
  ],
  fields: [
    {
      resource: 'Load Balancer type',
      at: 'load_balancer_types.get',
      key: 'load_balancer_type',
      fields: {
        id: 'integer',
        name: 'string',
        description: 'string',
        max_connections: 'integer',
        max_services: 'integer',
        max_targets: 'integer',
        max_assigned_certificates: 'integer',
        prices: 'array',
        deprecation: 'object or null',
      },
      removed: ['deprecated'],
    },
  ],
  sentences: [
    {
      section,
      says: 'Those whose deprecation has ended leave the lists and can still be read by id',
      tests: ['load-balancer-types.test.ts: a type leaves the lists after the end of its deprecation'],
    },
    {
      section: 'Load Balancer type',
      says: 'deprecation says when a type goes; deprecated is gone since 2 November 2026',
      tests: ['load-balancer-types.test.ts: the field deprecated is there until 2 November 2026'],
    },
  ],
}

export const proof: Proof<typeof loadBalancerTypeEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'load_balancer_types') },
  spec,
}
