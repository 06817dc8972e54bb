/** Targets of Load Balancers on the wire (spec: Load Balancer, Load Balancers). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { since } from '../../../kernel/contract/as-of.ts'
import { closed, closedObject, defineEndpoints, Id, named, nullable } from '../../../kernel/contract/contract.ts'
import { anyOnes, refersTo } from '../../../kernel/contract/references.ts'
import { loadBalancerChanges } from '../changes.ts'
import { unhealthyDetails } from '../driver.ts'
import { targetTypes } from './domain.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    target_already_defined: 422
    load_balancer_target_not_found: 422
    load_balancer_public_interface_disabled: 422
    server_not_attached_to_network: 422
    missing_ipv4: 422
    cloud_resource_ip_not_allowed: 422
    ip_not_owned: 422
    network_has_no_vswitch_subnet: 422
    ip_not_in_vswitch_subnet: 422
  }
}

// ---- What is shown -------------------------------------------------------------------------------------------------

const HealthStatus = named('LoadBalancerTargetHealth', {
  listen_port: Type.Integer(),
  status: Type.Enum(['healthy', 'unhealthy', 'unknown']),
  detail: since(loadBalancerChanges.health_status_detail, Type.Optional(Type.Enum([...unhealthyDetails]))),
  http_status_code: since(loadBalancerChanges.health_status_detail, Type.Optional(Type.Integer())),
})

const Server = Type.Object({ id: Id })
const health = { health_status: Type.Array(HealthStatus) }

export const Target = named('LoadBalancerTarget', {
  type: Type.Enum([...targetTypes]),
  server: Type.Optional(Server),
  label_selector: Type.Optional(Type.Object({ selector: Type.String() })),
  ip: Type.Optional(Type.Object({ ip: Type.String() })),
  use_private_ip: Type.Optional(Type.Boolean()),
  health_status: Type.Optional(health.health_status),
  targets: Type.Optional(
    Type.Array(
      named('LoadBalancerSelectedTarget', {
        type: Type.Enum(['server']),
        server: Server,
        use_private_ip: Type.Boolean(),
        ...health,
      }),
    ),
  ),
})

// ---- What is asked for ---------------------------------------------------------------------------------------------

export const TargetBody = named(
  'NewLoadBalancerTarget',
  {
    type: Type.Enum([...targetTypes]),
    server: Type.Optional(nullable(closedObject({ id: Id }))),
    label_selector: Type.Optional(nullable(closedObject({ selector: Type.String({ minLength: 1, maxLength: 1024 }) }))),
    ip: Type.Optional(nullable(closedObject({ ip: Type.String({ maxLength: 64 }) }))),
    use_private_ip: Type.Optional(nullable(Type.Boolean())),
  },
  closed,
)

/** Why a target is refused, on its own or with a new Load Balancer. */
export const targetErrors = [
  'target_already_defined',
  'load_balancer_not_attached_to_network',
  'load_balancer_public_interface_disabled',
  'server_not_attached_to_network',
  'missing_ipv4',
  'cloud_resource_ip_not_allowed',
  'ip_not_owned',
  'network_has_no_vswitch_subnet',
  'ip_not_in_vswitch_subnet',
] as const

/** What a target in a body names; `at` is where the target is. An address may be that of any resource. */
export const targetReferences = (at = '') => ({
  [`${at}server.id`]: refersTo('server'),
  [`${at}label_selector`]: anyOnes,
  [`${at}ip`]: anyOnes,
})

const action = actionsOf('/load_balancers/{id}', 'Load Balancers')

export const targetEndpoints = defineEndpoints({
  addTarget: action('add_target', {
    needs: 'restricted',
    summary: 'Add a target to a Load Balancer',
    body: TargetBody,
    refers: targetReferences(),
    errors: ['conflict', 'resource_limit_exceeded', ...targetErrors],
  }),
  removeTarget: action('remove_target', {
    needs: 'restricted',
    summary: 'Remove a target from a Load Balancer',
    body: TargetBody,
    refers: targetReferences(),
    errors: ['conflict', 'load_balancer_target_not_found'],
  }),
})
