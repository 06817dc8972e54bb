/** Servers on the wire (spec: Server, Servers). */

import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
import { since, until } from '../../kernel/contract/as-of.ts'
import {
  defineEndpoints,
  enumParam,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { Datacenter } from '../datacenters/contract.ts'
import { Image } from '../images/contract.ts'
import { Iso } from '../isos/contract.ts'
import { Location } from '../locations/contract.ts'
import { PlacementGroup } from '../placement-groups/contract.ts'
import { ServerType } from '../server-types/contract.ts'
import { accessEndpoints } from './access/contract.ts'
import { serverChanges } from './changes.ts'
import { serverStatuses } from './domain.ts'
import { isoEndpoints } from './iso/contract.ts'
import { metricEndpoints } from './metrics/contract.ts'
import { membershipEndpoints } from './placement-groups/contract.ts'
import { typeEndpoints } from './type/contract.ts'

const ReverseName = Type.Object({ ip: Type.String(), dns_ptr: Type.String() })

const PublicNet = named('ServerPublicNet', {
  ipv4: nullable(Type.Object({ id: Id, ip: Type.String(), blocked: Type.Boolean(), dns_ptr: Type.String() })),
  ipv6: nullable(Type.Object({ id: Id, ip: Type.String(), blocked: Type.Boolean(), dns_ptr: Type.Array(ReverseName) })),
  floating_ips: Type.Array(Id),
  firewalls: Type.Array(Type.Object({ id: Id, status: Type.Enum(['applied', 'pending']) })),
})

export const Server = named('Server', {
  id: Id,
  name: Type.String(),
  status: Type.Enum([...serverStatuses]),
  created: Timestamp,
  public_net: PublicNet,
  private_net: Type.Array(
    Type.Object({
      network: Id,
      ip: Type.String(),
      alias_ips: Type.Array(Type.String()),
      mac_address: Type.String(),
    }),
  ),
  server_type: ServerType,
  location: since(serverChanges.server_location_added, Location),
  datacenter: until(serverChanges.server_datacenter_removed, Datacenter),
  image: nullable(Image),
  iso: nullable(Iso),
  rescue_enabled: Type.Boolean(),
  locked: Type.Boolean(),
  backup_window: nullable(Type.String()),
  outgoing_traffic: nullable(Type.Integer()),
  ingoing_traffic: nullable(Type.Integer()),
  included_traffic: nullable(Type.Integer()),
  protection: Type.Object({ delete: Type.Boolean(), rebuild: Type.Boolean() }),
  labels: Labels,
  volumes: Type.Array(Id),
  load_balancers: Type.Array(Id),
  primary_disk_size: Type.Integer(),
  placement_group: nullable(PlacementGroup),
})

export const spelling = {
  type: 'server',
  path: 'servers',
  title: 'server',
  sortable: ['id', 'name', 'created'],
} as const

const UserData = Type.String({ maxLength: 65_536, description: 'At most 32,768 characters' })
const Name = Type.String({ minLength: 1, maxLength: 253 })
const section = 'Servers'
const Ids = Type.Array(Id, { maxItems: 100 })

function power<const Path extends string>(path: Path, summary: string) {
  const errors: ErrorCode[] = ['locked']
  return { method: 'POST', path, summary, section, status: 201, reply: ActionReply, errors } as const
}

export const serverEndpoints = defineEndpoints({
  ...membershipEndpoints,
  ...isoEndpoints,
  ...resourceEndpoints(spelling, Server, {
    section,
    filters: { status: enumParam('Only servers with this status', serverStatuses) },
    create: {
      body: Type.Object(
        {
          name: Name,
          server_type: IdOrName,
          image: IdOrName,
          location: Type.Optional(IdOrName),
          datacenter: until(serverChanges.server_datacenter_removed, IdOrName),
          ssh_keys: Type.Optional(Type.Array(IdOrName, { maxItems: 100 })),
          volumes: Type.Optional(Ids),
          automount: Type.Optional(Type.Boolean()),
          networks: Type.Optional(Ids),
          firewalls: Type.Optional(
            Type.Array(Type.Object({ firewall: Id }, { additionalProperties: false }), { maxItems: 100 }),
          ),
          placement_group: Type.Optional(nullable(Id)),
          user_data: Type.Optional(UserData),
          labels: Type.Optional(Labels),
          start_after_create: Type.Optional(Type.Boolean()),
          public_net: Type.Optional(
            Type.Object(
              {
                enable_ipv4: Type.Optional(Type.Boolean()),
                enable_ipv6: Type.Optional(Type.Boolean()),
                ipv4: Type.Optional(nullable(Id)),
                ipv6: Type.Optional(nullable(Id)),
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      reply: {
        action: ActionSchema,
        next_actions: Type.Array(ActionSchema),
        root_password: nullable(Type.String()),
      },
      errors: [
        'resource_unavailable',
        'locked',
        'volume_already_attached',
        'placement_group_member_limit_reached',
        'no_subnet_available',
        'networks_overlap',
        'primary_ip_assigned',
        'primary_ip_datacenter_mismatch',
        'primary_ip_version_mismatch',
      ],
      statuses: { primary_ip_version_mismatch: 412 },
    },
    update: {
      body: Type.Object({ name: Type.Optional(Name), labels: Type.Optional(Labels) }, { additionalProperties: false }),
      errors: ['resource_limit_exceeded'],
    },
  }),
  remove: {
    method: 'DELETE',
    path: '/servers/{id}',
    summary: 'Delete a server',
    section,
    status: 200,
    reply: ActionReply,
    errors: ['locked', 'protected'],
  },
  powerOn: power('/servers/{id}/actions/poweron', 'Start a server'),
  powerOff: power('/servers/{id}/actions/poweroff', 'Cut the power of a server'),
  shutDown: power('/servers/{id}/actions/shutdown', 'Ask the operating system of a server to shut down'),
  reboot: power('/servers/{id}/actions/reboot', 'Ask the operating system of a server to restart'),
  reset: power('/servers/{id}/actions/reset', 'Cut and restore the power of a server'),
  ...typeEndpoints,
  ...accessEndpoints,
  ...metricEndpoints,
  createImage: {
    method: 'POST',
    path: '/servers/{id}/actions/create_image',
    summary: 'Make a snapshot or a backup of a server',
    section,
    body: Type.Object(
      {
        type: Type.Optional(Type.Enum(['snapshot', 'backup'])),
        description: Type.Optional(nullable(Type.String({ maxLength: 1_024 }))),
        labels: Type.Optional(Labels),
      },
      { additionalProperties: false },
    ),
    status: 201,
    reply: Type.Object({ image: Image, action: ActionSchema }),
    errors: ['locked', 'resource_limit_exceeded'],
  },
  rebuild: {
    method: 'POST',
    path: '/servers/{id}/actions/rebuild',
    summary: 'Write an image to the disk of a server, over what is on it',
    section,
    body: Type.Object(
      { image: IdOrName, user_data: Type.Optional(nullable(UserData)) },
      { additionalProperties: false },
    ),
    status: 201,
    reply: Type.Object({ action: ActionSchema, root_password: nullable(Type.String()) }),
    errors: ['locked', 'protected'],
  },
  enableBackup: {
    method: 'POST',
    path: '/servers/{id}/actions/enable_backup',
    summary: 'Back up a server every day',
    section,
    status: 201,
    reply: ActionReply,
    errors: [],
  },
  disableBackup: {
    method: 'POST',
    path: '/servers/{id}/actions/disable_backup',
    summary: 'No longer back up a server, and delete its backups',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  changeProtection: {
    method: 'POST',
    path: '/servers/{id}/actions/change_protection',
    summary: 'Protect a server from deletion and rebuild, or no longer',
    section,
    body: Type.Object(
      { delete: Type.Optional(Type.Boolean()), rebuild: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
})
