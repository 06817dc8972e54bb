/** Server types on the wire (spec: Server type, Server types). They come from the catalogue; nobody writes them through the API. */

import { Type } from 'typebox'
import { since, until } from '../../kernel/contract/as-of.ts'
import { kernelChanges } from '../../kernel/contract/changes.ts'
import {
  defineEndpoints,
  Id,
  Meta,
  named,
  nullable,
  paging,
  Timestamp,
  textParam,
} from '../../kernel/contract/contract.ts'
import { serverTypeChanges } from './changes.ts'

/** When the end of something was made public, and until when it can be ordered. */
export const Deprecation = named('Deprecation', { announced: Timestamp, unavailable_after: Timestamp })

export const Architecture = Type.Enum(['x86', 'arm'])

/** Amounts are decimal strings, so that no digit is lost. */
export const Price = named('Price', { net: Type.String(), gross: Type.String() })

/** What a type costs in one location. */
export const LocationPrice = named('LocationPrice', {
  location: Type.String(),
  price_hourly: Price,
  price_monthly: Price,
  included_traffic: since(serverTypeChanges.price_traffic_added, Type.Integer({ description: 'Bytes per month' })),
  price_per_tb_traffic: since(serverTypeChanges.price_traffic_added, Price),
})

const ServerTypeLocation = named('ServerTypeLocation', {
  id: Id,
  name: Type.String(),
  deprecation: nullable(Deprecation),
  available: since(
    serverTypeChanges.server_type_availability_added,
    Type.Boolean({ description: 'A hint about free capacity' }),
  ),
  recommended: since(serverTypeChanges.server_type_availability_added, Type.Boolean()),
})

export const ServerType = named('ServerType', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  category: since(serverTypeChanges.server_type_category_added, nullable(Type.String())),
  cores: Type.Integer(),
  memory: Type.Number({ description: 'GB' }),
  disk: Type.Integer({ description: 'GB' }),
  storage_type: Type.Enum(['local', 'network']),
  cpu_type: Type.Enum(['shared', 'dedicated']),
  architecture: since(kernelChanges.architecture_added, Architecture),
  prices: Type.Array(LocationPrice),
  locations: since(serverTypeChanges.server_type_locations_added, Type.Array(ServerTypeLocation)),
  deprecation: since(serverTypeChanges.server_type_deprecation_added, nullable(Deprecation)),
  included_traffic: until(
    serverTypeChanges.server_type_traffic_removed,
    since(
      serverTypeChanges.server_type_traffic_added,
      nullable(Type.Integer({ description: 'Removed in November 2024; see prices' })),
    ),
  ),
  deprecated: until(
    kernelChanges.deprecated_field_removed,
    Type.Boolean({ description: 'Removed on 2 November 2026; use deprecation' }),
  ),
})

const section = 'Server types'

export const spelling = {
  type: 'server_type',
  path: 'server_types',
  title: 'server type',
  titles: 'server types',
} as const

export const serverTypeEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/server_types',
    summary: 'List the server types that can be ordered in some location',
    section,
    query: { name: textParam('Exact name'), ...paging },
    status: 200,
    reply: Type.Object({ server_types: Type.Array(ServerType), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/server_types/{id}',
    summary: 'Get a server type, also one that is no longer listed',
    section,
    status: 200,
    reply: Type.Object({ server_type: ServerType }),
    errors: [],
  },
})
