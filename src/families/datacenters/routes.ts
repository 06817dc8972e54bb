/** Datacenters through the API, as of dates before October 2026. */
import type { Static } from 'typebox'
import { type Location, serverTypeOrderable } from '../../catalogue/catalogue.ts'
import type { Handlers } from '../../kernel/contract.ts'
import { invalidInput, notFound } from '../../kernel/errors.ts'
import { pageOf } from '../../kernel/listing.ts'
import type { Platform } from '../../platform.ts'
import { locationToWire } from '../locations/reads.ts'
import type { datacenterEndpoints, Datacenter as Wire } from './contract.ts'
import { datacenterOf, isDatacenterName } from './domain.ts'

export function datacenterRoutes({ catalogue, clock }: Platform): Handlers<typeof datacenterEndpoints> {
  const toWire = (location: Location): Static<typeof Wire> => {
    const now = clock.now()
    const supported = catalogue.serverTypes.filter((type) => type.locations.some(({ id }) => id === location.id))
    const orderable = supported.filter((type) => serverTypeOrderable(type, location.id, now))
    const ids = orderable.map((type) => type.id)
    return {
      ...datacenterOf(location),
      location: locationToWire(location),
      server_types: { available: ids, available_for_migration: ids, supported: supported.map((type) => type.id) },
    }
  }
  const all = () => catalogue.locations.map(toWire).sort((a, b) => a.id - b.id)
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
      if (!datacenter) throw notFound('datacenter', params.id)
      return { datacenter }
    },
  }
}
