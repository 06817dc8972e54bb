/** Datacenters on the wire, until they were removed in October 2026 (spec: Datacenter, Datacenters). */

import { Type } from 'typebox'
import { defineEndpoints, Id, Meta, named, paging, sorting, textParam } from '../../kernel/contract/contract.ts'
import { Location } from '../locations/contract.ts'
import { datacenterChanges } from './changes.ts'

export const Datacenter = named('Datacenter', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  location: Location,
  server_types: Type.Object({
    available: Type.Array(Id),
    available_for_migration: Type.Array(Id),
    supported: Type.Array(Id),
  }),
})

const section = 'Datacenters'
const removedBy = datacenterChanges.datacenters_removed

export const spelling = { type: 'datacenter', path: 'datacenters', title: 'datacenter', titles: 'datacenters' } as const

export const datacenterEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/datacenters',
    summary: 'List datacenters (removed in October 2026)',
    section,
    removedBy,
    query: { name: textParam('Exact name'), ...sorting(['id', 'name']), ...paging },
    status: 200,
    reply: Type.Object({ datacenters: Type.Array(Datacenter), recommendation: Id, meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/datacenters/{id}',
    summary: 'Get a datacenter (removed in October 2026)',
    section,
    removedBy,
    status: 200,
    reply: Type.Object({ datacenter: Datacenter }),
    errors: [],
  },
})
