/** Load Balancers as resources of Terraform. */
import type { Body, Value } from '../../commands/terraform/hcl.ts'
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
  reverseName,
  type Terraform,
  texts,
} from '../../commands/terraform/resources.ts'

function service(balancer: Value, body: Fields, label: string): Resource {
  const blocks: (readonly [string, Body])[] = []
  const http = body.http as Fields | null | undefined
  if (http) {
    const attributes = pick(
      http,
      'cookie_name',
      'cookie_lifetime',
      'certificates',
      'redirect_http',
      'sticky_sessions',
      'timeout_idle',
    )
    blocks.push(['http', { attributes }])
  }
  const check = body.health_check as Fields | null | undefined
  if (check) {
    if (['protocol', 'port', 'interval', 'timeout'].some((name) => (check[name] ?? null) === null)) {
      refuse('missing', 'health_check')
    }
    const inner = check.http as Fields | null | undefined
    const attributes = inner && pick(inner, 'domain', 'path', 'response', 'status_codes', 'tls')
    blocks.push([
      'health_check',
      {
        attributes: pick(check, 'protocol', 'port', 'interval', 'timeout', 'retries'),
        blocks: attributes ? [['http', { attributes }]] : [],
      },
    ])
  }
  const attributes = pick(body, 'protocol', 'listen_port', 'destination_port', 'proxyprotocol')
  return resource('load_balancer_service', label, { load_balancer_id: balancer, ...attributes }, blocks)
}

function target(balancer: Value, body: Fields, label: string): Resource {
  const { type } = body
  const part = (body[type as string] ?? {}) as Fields
  return resource('load_balancer_target', label, {
    type: type as string,
    load_balancer_id: balancer,
    server_id: part.id as number | undefined,
    label_selector: part.selector as string | undefined,
    ip: part.ip as string | undefined,
    use_private_ip: body.use_private_ip === true ? true : undefined,
  })
}

const balancer: Make = (body) => {
  const net = (body.public_net ?? {}) as Fields
  if (net.ipv4 || net.ipv6) refuse('option', 'public_net')
  const network = body.network as number | null | undefined
  if (!network && body.public_interface === false) refuse('missing', 'network')
  const algorithm = body.algorithm as Fields | null | undefined
  const made = resource(
    'load_balancer',
    body.name,
    {
      ...pick(body, 'name'),
      ...texts(body, 'load_balancer_type', 'location', 'network_zone'),
      ...pick(body, 'labels'),
    },
    algorithm ? [['algorithm', { attributes: pick(algorithm, 'type') }]] : [],
  )
  const label = (index: number) => `${made.label}_${index + 1}`
  const place = network
    ? [
        resource('load_balancer_network', made.label, {
          load_balancer_id: idOf(made),
          network_id: network,
          enable_public_interface: body.public_interface === false ? false : undefined,
        }),
      ]
    : []
  return [
    made,
    ...place,
    ...list(body.services).map((one, index) => service(idOf(made), one, label(index))),
    ...list(body.targets).map((one, index) => target(idOf(made), one, label(index))),
  ]
}

export const terraform: Terraform = {
  kindOf: () => 'load_balancer',
  imports: {
    rdns: ({ load_balancer_id, ip_address }) => `l-${load_balancer_id}-${ip_address}`,
    load_balancer_service: ({ load_balancer_id, listen_port }) => `${load_balancer_id}__${listen_port}`,
    load_balancer_target: ({ load_balancer_id, type, server_id, label_selector, ip }) =>
      [load_balancer_id, type, server_id ?? label_selector ?? ip].join('__'),
    load_balancer_network: ({ load_balancer_id, network_id }) => `${load_balancer_id}-${network_id}`,
  },
  makers: {
    create: balancer,
    addService: (body, { id }) => [service(numberOf(id), body, `port_${body.listen_port ?? 'default'}`)],
    addTarget: (body, { id }) => [target(numberOf(id), body, body.type as string)],
    attachToNetwork: (body, { id }, afterwards) => {
      if (body.ip_range) refuse('option', 'ip_range')
      const attributes = {
        load_balancer_id: numberOf(id),
        network_id: body.network as number,
        ...pick(body, 'ip'),
        enable_public_interface: afterwards.includes('load_balancers_disablePublicInterface') ? false : undefined,
      }
      return [resource('load_balancer_network', '', attributes)]
    },
    changeDnsPtr: reverseName('load_balancer_id'),
  },
}
