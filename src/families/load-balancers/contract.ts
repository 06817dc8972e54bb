/** Load Balancers on the wire (spec: Load Balancer, Load Balancers). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import { since } from '../../kernel/contract/as-of.ts'
import {
  closedObject,
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { catalogued, refersTo } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { LoadBalancerType } from '../load-balancer-types/contract.ts'
import { Location } from '../locations/contract.ts'
import { loadBalancerChanges } from './changes.ts'
import { algorithms } from './domain.ts'
import { Service, ServiceBody } from './services/contract.ts'
import { Target, TargetBody, targetErrors, targetReferences } from './targets/contract.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    invalid_load_balancer_type: 422
    load_balancer_not_attached_to_network: 422
    targets_without_use_private_ip: 422
  }
}

export const spelling = {
  type: 'load_balancer',
  path: 'load_balancers',
  title: 'Load Balancer',
  titles: 'Load Balancers',
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Load Balancers'
const action = actionsOf('/load_balancers/{id}', section)

const PublicAddress = named('LoadBalancerPublicAddress', {
  id: since(
    loadBalancerChanges.load_balancer_public_net,
    nullable(Type.Integer({ description: 'The Primary IP; null for an address that is made with the Load Balancer' })),
  ),
  ip: Type.String(),
  dns_ptr: nullable(Type.String()),
})

const Algorithm = Type.Object({ type: Type.Enum([...algorithms]) })

export const LoadBalancer = named('LoadBalancer', {
  id: Id,
  name: Type.String(),
  public_net: named('LoadBalancerPublicNet', { enabled: Type.Boolean(), ipv4: PublicAddress, ipv6: PublicAddress }),
  private_net: Type.Array(Type.Object({ network: Id, ip: Type.String() })),
  location: Location,
  load_balancer_type: LoadBalancerType,
  protection: Type.Object({ delete: Type.Boolean() }),
  labels: Labels,
  created: Timestamp,
  services: Type.Array(Service),
  targets: Type.Array(Target),
  algorithm: Algorithm,
  outgoing_traffic: nullable(Type.Integer({ description: 'Bytes of this month' })),
  ingoing_traffic: nullable(Type.Integer({ description: 'Bytes of this month' })),
  included_traffic: Type.Integer({ description: 'Bytes per month' }),
})

const Name = Type.String({ minLength: 1, maxLength: 255 })
const AlgorithmBody = closedObject({ type: Type.Enum([...algorithms]) })
const PublicNet = closedObject({ ipv4: Type.Optional(nullable(Id)), ipv6: Type.Optional(nullable(Id)) })

/** How much of it a request may carry; the type says how much a Load Balancer may have. */
const mostServices = 100
const mostTargets = 500

export const loadBalancerEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, LoadBalancer, {
    needs: 'member',
    section,
    create: {
      body: closedObject({
        name: Name,
        load_balancer_type: IdOrName,
        location: Type.Optional(nullable(IdOrName)),
        network_zone: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
        algorithm: Type.Optional(nullable(AlgorithmBody)),
        services: Type.Optional(nullable(Type.Array(ServiceBody, { maxItems: mostServices }))),
        targets: Type.Optional(nullable(Type.Array(TargetBody, { maxItems: mostTargets }))),
        labels: Type.Optional(nullable(Labels)),
        public_interface: Type.Optional(nullable(Type.Boolean())),
        network: Type.Optional(nullable(Id)),
        public_net: Type.Optional(nullable(PublicNet)),
      }),
      refers: {
        load_balancer_type: catalogued('load_balancer_type'),
        location: catalogued('location'),
        'services[].http.certificates[]': refersTo('certificate'),
        ...targetReferences('targets[].'),
        network: refersTo('network'),
        'public_net.ipv4': refersTo('primary_ip'),
        'public_net.ipv6': refersTo('primary_ip'),
      },
      reply: { action: ActionSchema },
      errors: [
        'not_found',
        'locked',
        'resource_unavailable',
        'primary_ip_version_mismatch',
        'primary_ip_assigned',
        'primary_ip_location_mismatch',
        'source_port_already_used',
        'no_subnet_available',
        'unsupported_error',
        ...targetErrors,
      ],
      statuses: { source_port_already_used: 412, primary_ip_version_mismatch: 412 },
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
  }),
  remove: {
    method: 'DELETE',
    needs: 'member',
    path: '/load_balancers/{id}',
    of: '/load_balancers/{id}',
    section,
    summary: 'Delete a Load Balancer',
    status: 201,
    repliesSince: loadBalancerChanges.load_balancer_public_net,
    reply: Type.Object({ action: ActionSchema }),
    errors: ['conflict', 'protected'],
  },
  changeAlgorithm: action('change_algorithm', {
    needs: 'restricted',
    summary: 'Change how a Load Balancer chooses targets',
    body: AlgorithmBody,
    errors: ['conflict'],
  }),
  changeType: action('change_type', {
    needs: 'member',
    summary: 'Change the type of a Load Balancer',
    body: closedObject({ load_balancer_type: IdOrName }),
    refers: { load_balancer_type: catalogued('load_balancer_type') },
    errors: ['conflict', 'invalid_load_balancer_type'],
  }),
  enablePublicInterface: action('enable_public_interface', {
    needs: 'restricted',
    summary: 'Let a Load Balancer listen on its public addresses',
    errors: ['conflict'],
  }),
  disablePublicInterface: action('disable_public_interface', {
    needs: 'restricted',
    summary: 'Let a Load Balancer no longer listen on its public addresses, which it keeps',
    errors: ['conflict', 'load_balancer_not_attached_to_network', 'targets_without_use_private_ip'],
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a Load Balancer from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
  }),
})
