/** Servers and their snapshots as resources of Terraform. */
import {
  type Attributes,
  type Fields,
  list,
  type Make,
  numberOf,
  pick,
  refuse,
  resource,
  some,
  type Terraform,
  texts,
} from '../../commands/terraform/resources.ts'

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
  return [made]
}

const snapshot: Make = (body, { id }) => {
  if (body.type === 'backup') refuse('value', 'type')
  return [resource('snapshot', body.description, { server_id: numberOf(id), ...pick(body, 'description', 'labels') })]
}

export const terraform: Terraform = {
  kindOf: () => 'server',
  unread: ['public_net'],
  makers: {
    create: server,
    createImage: snapshot,
  },
}
