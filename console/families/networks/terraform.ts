/** Networks as resources of Terraform. */
import type { Value } from '../../commands/terraform/hcl.ts'
import {
  type Fields,
  idOf,
  list,
  type Make,
  numberOf,
  pick,
  type Resource,
  refuse,
  resource,
  some,
  type Terraform,
} from '../../commands/terraform/resources.ts'

function subnet(network: Value, body: Fields, label: string): Resource {
  if ((body.ip_range ?? null) === null) refuse('missing', 'ip_range')
  const attributes = pick(body, 'type', 'network_zone', 'ip_range', 'vswitch_id')
  return resource('network_subnet', label, { network_id: network, ...attributes })
}

function route(network: Value, body: Fields, label: string): Resource {
  return resource('network_route', label, { network_id: network, ...pick(body, 'destination', 'gateway') })
}

const network: Make = (body) => {
  const made = resource('network', body.name, pick(body, 'name', 'ip_range', 'expose_routes_to_vswitch', 'labels'))
  const label = (index: number) => `${made.label}_${index + 1}`
  return [
    made,
    ...list(body.subnets).map((one, index) => subnet(idOf(made), one, label(index))),
    ...list(body.routes).map((one, index) => route(idOf(made), one, label(index))),
  ]
}

export const terraform: Terraform = {
  kindOf: () => 'network',
  imports: {
    network_subnet: ({ network_id, ip_range }) => `${network_id}-${ip_range}`,
    network_route: ({ network_id, destination }) => `${network_id}-${destination}`,
    server_network: ({ server_id, network_id }) => `${server_id}-${network_id}`,
  },
  makers: {
    create: network,
    addSubnet: (body, { id }) => [subnet(numberOf(id), body, '')],
    addRoute: (body, { id }) => [route(numberOf(id), body, '')],
    attachToNetwork: (body, { id }) => {
      if (body.ip_range) refuse('option', 'ip_range')
      return [
        resource('server_network', '', {
          server_id: numberOf(id),
          network_id: body.network as number,
          ...pick(body, 'ip'),
          alias_ips: some(body.alias_ips),
        }),
      ]
    },
  },
}
