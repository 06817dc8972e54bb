/** Servers on the wire (spec: Server, Servers). */

import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import { since, until } from '../../kernel/contract/as-of.ts'
import {
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { secret } from '../../kernel/contract/marks.ts'
import { catalogued, refersTo } from '../../kernel/contract/references.ts'
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
import { consoleEndpoints } from './screens/contract.ts'
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
  titles: 'servers',
  sortable: ['id', 'name', 'created'],
} as const

const UserData = Type.String({ maxLength: 65_536, description: 'At most 32,768 characters' })
const RootPassword = secret(nullable(Type.String()))
const Name = Type.String({ minLength: 1, maxLength: 253 })
const section = 'Servers'
const action = actionsOf('/servers/{id}', section)
const Ids = Type.Array(Id, { maxItems: 100 })

function power<const Name extends string>(name: Name, summary: string) {
  return action(name, { needs: 'restricted', summary, errors: ['locked'] })
}

/** Declares one that starts a server that is off, which needs a network. */
function start<const Name extends string>(name: Name, summary: string) {
  return action(name, { needs: 'restricted', summary, errors: ['locked', 'invalid_input'] })
}

/** Only images of the catalogue have names. */
const imageReference = { ...refersTo('image'), names: 'catalogue' } as const

export const serverEndpoints = defineEndpoints({
  ...membershipEndpoints,
  ...isoEndpoints,
  ...resourceEndpoints(spelling, Server, {
    needs: 'member',
    section,
    filters: { status: enumParam('Only servers with this status', serverStatuses) },
    create: {
      body: closedObject({
        name: Name,
        server_type: IdOrName,
        image: IdOrName,
        location: Type.Optional(IdOrName),
        datacenter: until(serverChanges.server_datacenter_removed, IdOrName),
        ssh_keys: Type.Optional(Type.Array(IdOrName, { maxItems: 100 })),
        volumes: Type.Optional(Ids),
        automount: Type.Optional(Type.Boolean()),
        networks: Type.Optional(Ids),
        firewalls: Type.Optional(Type.Array(closedObject({ firewall: Id }), { maxItems: 100 })),
        placement_group: Type.Optional(nullable(Id)),
        user_data: secret(Type.Optional(UserData)),
        labels: Type.Optional(Labels),
        start_after_create: Type.Optional(Type.Boolean()),
        public_net: Type.Optional(
          closedObject({
            enable_ipv4: Type.Optional(Type.Boolean()),
            enable_ipv6: Type.Optional(Type.Boolean()),
            ipv4: Type.Optional(nullable(Id)),
            ipv6: Type.Optional(nullable(Id)),
          }),
        ),
      }),
      refers: {
        server_type: catalogued('server_type'),
        image: imageReference,
        location: catalogued('location'),
        datacenter: catalogued('datacenter'),
        'ssh_keys[]': { ...refersTo('ssh_key'), names: 'own' },
        'volumes[]': refersTo('volume'),
        'networks[]': refersTo('network'),
        'firewalls[].firewall': refersTo('firewall'),
        placement_group: refersTo('placement_group'),
        'public_net.ipv4': refersTo('primary_ip'),
        'public_net.ipv6': refersTo('primary_ip'),
      },
      reply: {
        action: ActionSchema,
        next_actions: Type.Array(ActionSchema),
        root_password: RootPassword,
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
      body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }),
      errors: ['resource_limit_exceeded'],
    },
  }),
  remove: {
    method: 'DELETE',
    needs: 'member',
    path: '/servers/{id}',
    of: '/servers/{id}',
    summary: 'Delete a server',
    section,
    status: 200,
    reply: ActionReply,
    errors: ['locked', 'protected'],
  },
  powerOn: start('poweron', 'Start a server'),
  powerOff: power('poweroff', 'Cut the power of a server'),
  shutDown: power('shutdown', 'Ask the operating system of a server to shut down'),
  reboot: start('reboot', 'Ask the operating system of a server to restart'),
  reset: start('reset', 'Cut and restore the power of a server'),
  ...typeEndpoints,
  ...accessEndpoints,
  ...consoleEndpoints,
  ...metricEndpoints,
  createImage: action('create_image', {
    needs: 'member',
    summary: 'Make a snapshot or a backup of a server',
    body: closedObject({
      type: Type.Optional(Type.Enum(['snapshot', 'backup'])),
      description: Type.Optional(nullable(Type.String({ maxLength: 1_024 }))),
      labels: Type.Optional(Labels),
    }),
    reply: Type.Object({ image: Image, action: ActionSchema }),
    errors: ['locked', 'resource_limit_exceeded'],
  }),
  rebuild: action('rebuild', {
    needs: 'restricted',
    summary: 'Write an image to the disk of a server, over what is on it',
    body: closedObject({ image: IdOrName, user_data: secret(Type.Optional(nullable(UserData))) }),
    refers: { image: imageReference },
    reply: Type.Object({ action: ActionSchema, root_password: RootPassword }),
    errors: ['locked', 'protected'],
  }),
  enableBackup: action('enable_backup', {
    needs: 'member',
    summary: 'Back up a server every day',
  }),
  disableBackup: action('disable_backup', {
    needs: 'member',
    summary: 'No longer back up a server, and delete its backups',
    errors: ['locked'],
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a server from deletion and rebuild, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()), rebuild: Type.Optional(Type.Boolean()) }),
  }),
})
