/**
 * Types of Load Balancers on the wire (spec: Load Balancer type, Load Balancer types). They come from the catalogue;
 * nobody writes them through the API.
 */
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
import { Deprecation, LocationPrice } from '../server-types/contract.ts'
import { loadBalancerTypeChanges } from './changes.ts'

export const LoadBalancerType = named('LoadBalancerType', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  max_connections: Type.Integer({ description: 'Open at the same time' }),
  max_services: Type.Integer(),
  max_targets: Type.Integer(),
  max_assigned_certificates: Type.Integer(),
  prices: Type.Array(LocationPrice),
  deprecation: since(loadBalancerTypeChanges.load_balancer_type_deprecation, nullable(Deprecation)),
  deprecated: until(kernelChanges.deprecated_field_removed, nullable(Timestamp)),
})

const section = 'Load Balancer types'

export const spelling = {
  type: 'load_balancer_type',
  path: 'load_balancer_types',
  title: 'load balancer type',
  titles: 'load balancer types',
} as const

export const loadBalancerTypeEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/load_balancer_types',
    summary: 'List the types of Load Balancers that can be ordered',
    section,
    query: { name: textParam('Exact name'), ...paging },
    status: 200,
    reply: Type.Object({ load_balancer_types: Type.Array(LoadBalancerType), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/load_balancer_types/{id}',
    summary: 'Get a type of Load Balancers, also one that is no longer listed',
    section,
    status: 200,
    reply: Type.Object({ load_balancer_type: LoadBalancerType }),
    errors: [],
  },
})
