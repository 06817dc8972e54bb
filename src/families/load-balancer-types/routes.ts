/** Types of Load Balancers through the API: read-only, straight from the catalogue. */
import { loadBalancerTypeIsListed } from '../../catalogue/catalogue.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { type loadBalancerTypeEndpoints, spelling } from './contract.ts'
import { loadBalancerTypeToWire } from './view.ts'

/** One handler for each endpoint. */
export function loadBalancerTypeRoutes({ catalogue, clock }: Platform): Handlers<typeof loadBalancerTypeEndpoints> {
  return {
    async list({ query }) {
      const { name } = query
      const now = clock.now()
      const found = catalogue.load_balancer_types.filter(
        (type) => (name === undefined || type.name === name) && loadBalancerTypeIsListed(type, now),
      )
      const { rows, pagination } = pageOf(found, query)
      return { load_balancer_types: rows.map((type) => loadBalancerTypeToWire(type, now)), meta: { pagination } }
    },

    async get({ params }) {
      const type = catalogue.loadBalancerTypeById(params.id)
      if (!type) throw notFound(spelling.title, params.id)
      return { load_balancer_type: loadBalancerTypeToWire(type, clock.now()) }
    },
  }
}
