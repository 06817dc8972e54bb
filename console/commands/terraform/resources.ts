/** Which resources of Terraform stand for the operations that create or connect something. */
import type { Asked, Reason, ReasonKind } from '../request.ts'
import { type Body, Expression, localName, type Value } from './hcl.ts'

export interface Resource {
  /** Such as `hcloud_server`. */
  readonly type: string
  readonly label: string
  readonly body: Body
}

/** Why something has no resource. */
export class NoResource extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(`${reason.kind} ${reason.what}`)
    this.reason = reason
  }
}

type Fields = Readonly<Record<string, unknown>>
type Make = (
  body: Fields,
  params: NonNullable<Asked['params']>,
  afterwards: NonNullable<Asked['afterwards']>,
) => readonly Resource[]

const list = (value: unknown) => (value ?? []) as readonly Fields[]
const refuse = (kind: ReasonKind, what: string): never => {
  throw new NoResource({ kind, what })
}

type Attributes = Body['attributes']

const pick = (fields: Fields, ...names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, fields[name] as Value | null | undefined]))

/** Ids and names alike are texts there. */
const texts = (fields: Fields, ...names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, textOf(fields[name])]))
const textOf = (value: unknown) => (value === undefined || value === null ? undefined : String(value))
const some = (value: unknown) => (list(value).length > 0 ? (value as readonly Value[]) : undefined)

function resource(type: string, name: unknown, attributes: Attributes, blocks: Body['blocks'] = []): Resource {
  const labels = attributes.labels
  const isEmpty = labels !== null && typeof labels === 'object' && Object.keys(labels).length === 0
  const own = isEmpty ? { ...attributes, labels: undefined } : attributes
  return { type: `hcloud_${type}`, label: localName(name as string), body: { attributes: own, blocks } }
}

const idOf = ({ type, label }: Resource) => new Expression(`${type}.${label}.id`)
const numberOf = (value: string | number | undefined) => Number(value)

// ---- Servers, keys and volumes ---------------------------------------------------------------------------------------

const server: Make = (body, _, afterwards) => {
  if (body.start_after_create === false) refuse('value', 'start_after_create')
  const net = (body.public_net ?? {}) as Fields
  const hasNet = Object.values(net).some((value) => value !== undefined && value !== null)
  const made = resource(
    'server',
    body.name,
    {
      ...pick(body, 'name'),
      ...texts(body, 'server_type', 'image', 'location'),
      ssh_keys: some(body.ssh_keys)?.map(String),
      placement_group_id: body.placement_group as number | undefined,
      backups: afterwards.includes('servers_enableBackup') || undefined,
      firewall_ids: some(list(body.firewalls).map(({ firewall }) => firewall)),
      ...pick(body, 'user_data', 'labels'),
    },
    [
      ...(hasNet
        ? [
            [
              'public_net',
              {
                attributes: {
                  ipv4_enabled: net.enable_ipv4,
                  ipv6_enabled: net.enable_ipv6,
                  ipv4: net.ipv4,
                  ipv6: net.ipv6,
                } as Attributes,
              },
            ] as const,
          ]
        : []),
      ...list(body.networks).map((id) => ['network', { attributes: { network_id: Number(id) } }] as const),
    ],
  )
  const volumes = list(body.volumes).map((id, index) =>
    resource('volume_attachment', `${made.label}_${index + 1}`, {
      volume_id: Number(id),
      server_id: idOf(made),
      automount: body.automount as boolean | undefined,
    }),
  )
  return [made, ...volumes]
}

const volume: Make = (body) => [
  resource('volume', body.name, {
    ...pick(body, 'name', 'size'),
    ...texts(body, 'location'),
    server_id: body.server as number | undefined,
    ...pick(body, 'automount', 'format', 'labels'),
  }),
]

const snapshot: Make = (body, { id }) => {
  if (body.type === 'backup') refuse('value', 'type')
  return [resource('snapshot', body.description, { server_id: numberOf(id), ...pick(body, 'description', 'labels') })]
}

// ---- Networks and addresses ------------------------------------------------------------------------------------------

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

const reverseName =
  (owner: string): Make =>
  (body, { id }) => {
    const { ip, dns_ptr } = body as Readonly<Record<string, string | undefined>>
    if (!dns_ptr) refuse('value', 'dns_ptr')
    return [resource('rdns', dns_ptr, { [owner]: numberOf(id), ip_address: ip, dns_ptr })]
  }

const primaryIp: Make = (body) => [
  resource('primary_ip', body.name, {
    ...pick(body, 'name', 'type'),
    ...texts(body, 'location'),
    assignee_id: body.assignee_id as number | undefined,
    assignee_type: body.assignee_id ? 'server' : undefined,
    // The provider has no default for it.
    auto_delete: (body.auto_delete ?? false) as boolean,
    ...pick(body, 'labels'),
  }),
]

const floatingIp: Make = (body) => [
  resource('floating_ip', body.name, {
    ...pick(body, 'name', 'type'),
    ...texts(body, 'home_location'),
    server_id: body.server as number | undefined,
    ...pick(body, 'description', 'labels'),
  }),
]

// ---- Firewalls and certificates --------------------------------------------------------------------------------------

const targetIds = (targets: readonly Fields[]) =>
  targets.flatMap(({ server }) => ((server as Fields | null)?.id ?? []) as number)
const selectors = (targets: readonly Fields[]) =>
  targets.flatMap(({ label_selector }) => ((label_selector as Fields | null)?.selector ?? []) as string)

const firewall: Make = (body) => {
  const targets = list(body.apply_to)
  const rules = list(body.rules).map(
    (rule) =>
      [
        'rule',
        {
          attributes: {
            ...pick(rule, 'direction', 'protocol', 'port'),
            source_ips: some(rule.source_ips),
            destination_ips: some(rule.destination_ips),
            ...pick(rule, 'description'),
          },
        },
      ] as const,
  )
  const applied = [
    ...targetIds(targets).map((server): Attributes => ({ server })),
    ...selectors(targets).map((label_selector): Attributes => ({ label_selector })),
  ].map((attributes) => ['apply_to', { attributes }] as const)
  return [resource('firewall', body.name, pick(body, 'name', 'labels'), [...rules, ...applied])]
}

const attachment: Make = (body, { id }) => {
  const targets = list(body.apply_to)
  return [
    resource('firewall_attachment', '', {
      firewall_id: numberOf(id),
      server_ids: some(targetIds(targets)),
      label_selectors: some(selectors(targets)),
    }),
  ]
}

const certificate: Make = (body) =>
  body.type === 'managed'
    ? [resource('managed_certificate', body.name, pick(body, 'name', 'domain_names', 'labels'))]
    : [resource('uploaded_certificate', body.name, pick(body, 'name', 'certificate', 'private_key', 'labels'))]

export const makers: Readonly<Record<string, Make>> = {
  servers_create: server,
  servers_createImage: snapshot,
  ssh_keys_create: (body) => [resource('ssh_key', body.name, pick(body, 'name', 'public_key', 'labels'))],
  placement_groups_create: (body) => [resource('placement_group', body.name, pick(body, 'name', 'type', 'labels'))],
  volumes_create: volume,
  volumes_attach: (body, { id }) => [
    resource('volume_attachment', '', {
      volume_id: numberOf(id),
      server_id: body.server as number,
      ...pick(body, 'automount'),
    }),
  ],
  networks_create: network,
  networks_addSubnet: (body, { id }) => [subnet(numberOf(id), body, '')],
  networks_addRoute: (body, { id }) => [route(numberOf(id), body, '')],
  networks_attachToNetwork: (body, { id }) => {
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
  primary_ips_create: primaryIp,
  primary_ips_changeDnsPtr: reverseName('primary_ip_id'),
  primary_ips_changeServerDnsPtr: reverseName('server_id'),
  floating_ips_create: floatingIp,
  floating_ips_assign: (body, { id }) => [
    resource('floating_ip_assignment', '', { floating_ip_id: numberOf(id), server_id: body.server as number }),
  ],
  floating_ips_changeDnsPtr: reverseName('floating_ip_id'),
  firewalls_create: firewall,
  firewalls_applyToResources: attachment,
  certificates_create: certificate,
  load_balancers_changeDnsPtr: reverseName('load_balancer_id'),
}

export type { Fields, Make }
export { idOf, list, numberOf, pick, refuse, resource, texts }
