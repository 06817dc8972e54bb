/** Datacenters through the API, as of dates before October 2026. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { invalidInput, notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/resource/listing.ts'
import type { Platform } from '../../platform.ts'
import { type datacenterEndpoints, spelling } from './contract.ts'
import { isDatacenterName } from './domain.ts'
import { datacenterToWire } from './view.ts'

/** One handler for each endpoint. */
export function datacenterRoutes({ catalogue, clock }: Platform): Handlers<typeof datacenterEndpoints> {
  const all = () =>
    catalogue.locations
      .map((location) => datacenterToWire(catalogue, location, clock.now()))
      .sort((a, b) => a.id - b.id)
  return {
    async list({ query }) {
      if (query.name !== undefined && !isDatacenterName(query.name)) {
        throw invalidInput([{ field: 'name', message: 'must have the form of a datacenter name, such as fsn1-dc14' }])
      }
      const every = all()
      const found = every.filter(({ name }) => query.name === undefined || name === query.name)
      const { rows, pagination } = pageOf(found, query, (one, field) => (field === 'name' ? one.name : one.id))
      // The one that offers the most is the one recommended for new servers.
      const [best] = [...every].sort((a, b) => b.server_types.available.length - a.server_types.available.length)
      return { datacenters: rows, recommendation: best?.id ?? 1, meta: { pagination } }
    },

    async get({ params }) {
      const datacenter = all().find(({ id }) => id === params.id)
      if (!datacenter) throw notFound(spelling.title, params.id)
      return { datacenter }
    },
  }
}
