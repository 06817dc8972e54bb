/** Services of Load Balancers on the wire (spec: Load Balancer, Load Balancers). */
import { Type } from 'typebox'
import { actionsOf } from '../../../kernel/actions/contract.ts'
import { since } from '../../../kernel/contract/as-of.ts'
import { closed, closedObject, defineEndpoints, Id, named, nullable } from '../../../kernel/contract/contract.ts'
import { refersTo } from '../../../kernel/contract/references.ts'
import { loadBalancerChanges } from '../changes.ts'
import { bounds, checkProtocols, protocols } from './domain.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    source_port_already_used: 422
  }
}

const Protocol = Type.Enum([...protocols])
const CheckProtocol = Type.Enum([...checkProtocols])

// ---- What is shown -------------------------------------------------------------------------------------------------

const Http = named('LoadBalancerServiceHttp', {
  cookie_name: Type.String(),
  cookie_lifetime: Type.Integer({ description: 'Seconds' }),
  certificates: Type.Array(Id),
  redirect_http: Type.Boolean(),
  sticky_sessions: Type.Boolean(),
  timeout_idle: since(loadBalancerChanges.timeout_idle, Type.Integer({ description: 'Seconds' })),
})

const HealthCheck = named('LoadBalancerHealthCheck', {
  protocol: CheckProtocol,
  port: Type.Integer(),
  interval: Type.Integer({ description: 'Seconds' }),
  timeout: Type.Integer({ description: 'Seconds' }),
  retries: Type.Integer(),
  http: Type.Optional(
    named('LoadBalancerHealthCheckHttp', {
      domain: Type.String(),
      path: Type.String(),
      response: Type.String(),
      status_codes: Type.Array(Type.String()),
      tls: Type.Boolean(),
    }),
  ),
})

export const Service = named('LoadBalancerService', {
  protocol: Protocol,
  listen_port: Type.Integer(),
  destination_port: Type.Integer(),
  proxyprotocol: Type.Boolean(),
  http: Type.Optional(Http),
  health_check: HealthCheck,
})

// ---- What is asked for ---------------------------------------------------------------------------------------------

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))
const within = ({ least, most }: { readonly least: number; readonly most: number }, description?: string) =>
  Type.Integer({ minimum: least, maximum: most, ...(description ? { description } : {}) })
const text = (maxLength: number) => Type.String({ maxLength })
const Port = within(bounds.port)

const HttpBody = named(
  'NewLoadBalancerServiceHttp',
  {
    cookie_name: optional(text(bounds.cookieName)),
    cookie_lifetime: optional(within(bounds.cookieLifetime, 'Seconds')),
    certificates: optional(Type.Array(Id, { maxItems: bounds.certificates })),
    redirect_http: optional(Type.Boolean()),
    sticky_sessions: optional(Type.Boolean()),
    timeout_idle: optional(within(bounds.idleTimeout, 'Seconds')),
  },
  closed,
)

const HealthCheckBody = named(
  'NewLoadBalancerHealthCheck',
  {
    protocol: optional(CheckProtocol),
    port: optional(Port),
    interval: optional(within(bounds.interval, 'Seconds')),
    timeout: optional(within(bounds.timeout, 'Seconds')),
    retries: optional(within(bounds.retries)),
    http: optional(
      named(
        'NewLoadBalancerHealthCheckHttp',
        {
          domain: optional(text(bounds.domain)),
          path: optional(text(bounds.path)),
          response: optional(text(bounds.response)),
          status_codes: optional(Type.Array(text(bounds.statusCode), { maxItems: bounds.statusCodes })),
          tls: optional(Type.Boolean()),
        },
        closed,
      ),
    ),
  },
  closed,
)

const changeable = {
  destination_port: optional(Port),
  proxyprotocol: optional(Type.Boolean()),
  http: optional(HttpBody),
  health_check: optional(HealthCheckBody),
}

export const ServiceBody = named(
  'NewLoadBalancerService',
  { protocol: Protocol, listen_port: optional(Port), ...changeable },
  closed,
)

export const ServiceChange = closedObject({ protocol: optional(Protocol), listen_port: Port, ...changeable })

const action = actionsOf('/load_balancers/{id}', 'Load Balancers')

export const serviceEndpoints = defineEndpoints({
  addService: action('add_service', {
    needs: 'restricted',
    summary: 'Add a service to a Load Balancer',
    body: ServiceBody,
    refers: { 'http.certificates[]': refersTo('certificate') },
    errors: ['conflict', 'resource_limit_exceeded', 'source_port_already_used'],
    statuses: { source_port_already_used: 412 },
  }),
  updateService: action('update_service', {
    needs: 'restricted',
    summary: 'Change a service of a Load Balancer; what is left out stays',
    body: ServiceChange,
    refers: { 'http.certificates[]': refersTo('certificate') },
    errors: ['conflict', 'resource_limit_exceeded', 'source_port_already_used'],
  }),
  deleteService: action('delete_service', {
    needs: 'restricted',
    summary: 'Delete a service of a Load Balancer',
    body: closedObject({ listen_port: Port }),
    errors: ['conflict'],
  }),
})
