import { neverExisted, type Proof } from '../../../test/kit/proof.ts'
import type { SpecRows } from '../../../test/walks/spec/rows.ts'
import type { pricingEndpoints } from './contract.ts'

// ---- Rows of the spec ----------------------------------------------------------------------------------------------

const spec: SpecRows = {
  endpoints: [
    {
      section: 'Pricing',
      endpoint: 'GET /pricing',
      status: 200,
      reply: ['pricing'],
      inWords: true,
      also: [
        'pricing.test.ts: every amount is the one of the catalogue',
        'pricing.test.ts: traffic had one price until August 2024, was null until November 2024, and is gone',
      ],
    },
  ],
  fields: [
    {
      resource: 'Price list',
      at: 'pricing.get',
      key: 'pricing',
      fields: {
        currency: 'string',
        vat_rate: 'string',
        image: 'object',
        volume: 'object',
        floating_ip: 'object',
        floating_ips: 'array',
        primary_ips: 'array',
        server_backup: 'object',
        server_types: 'array',
        load_balancer_types: 'array',
        storage_box_types: 'array',
      },
    },
  ],
}

export const proof: Proof<typeof pricingEndpoints> = {
  samples: { isShared: true, prepare: async () => ({ id: neverExisted }) },
  spec,
}
