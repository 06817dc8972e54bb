/** Storage Boxes on the wire (spec: Storage Boxes). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import {
  closed,
  closedObject,
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
  textParam,
} from '../../kernel/contract/contract.ts'
import { catalogued } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { Location } from '../locations/contract.ts'
import { PublicKey } from '../ssh-keys/contract.ts'
import { StorageBoxType } from '../storage-box-types/contract.ts'
import { boxFlags, boxStatuses, eachFlag, mostKeys } from './domain.ts'
import { Plan, snapshotEndpoints } from './snapshots/contract.ts'
import { Password, subaccountEndpoints } from './subaccounts/contract.ts'

export const spelling = {
  type: 'storage_box',
  path: 'storage_boxes',
  title: 'Storage Box',
  titles: 'Storage Boxes',
  sortable: ['id', 'name', 'created', 'stats.size', 'stats.size_filesystem'],
} as const

const section = 'Storage Boxes'
const one = '/storage_boxes/{id}'
const action = actionsOf(one, section)

const someAccess = eachFlag(boxFlags, () => Type.Optional(Type.Boolean()))
const SomeAccess = named('NewStorageBoxAccess', someAccess, closed)
const Access = named('StorageBoxAccess', {
  ...eachFlag(boxFlags, () => Type.Boolean()),
  zfs_enabled: Type.Boolean({ description: 'Whether snapshots are shown below .zfs/snapshot' }),
})

export const StorageBox = named('StorageBox', {
  id: Id,
  name: Type.String(),
  username: nullable(Type.String()),
  status: Type.Enum([...boxStatuses]),
  storage_box_type: StorageBoxType,
  location: Location,
  access_settings: Access,
  server: nullable(Type.String()),
  system: nullable(Type.String()),
  stats: Type.Object(
    { size: Type.Integer(), size_data: Type.Integer(), size_snapshots: Type.Integer() },
    { description: 'Bytes, as they were measured last' },
  ),
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  snapshot_plan: nullable(Plan),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 64 })

export const storageBoxEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, StorageBox, {
    needs: 'member',
    section,
    create: {
      body: closedObject({
        name: Name,
        location: IdOrName,
        storage_box_type: IdOrName,
        password: Password,
        ssh_keys: Type.Optional(Type.Array(PublicKey, { maxItems: mostKeys })),
        access_settings: Type.Optional(SomeAccess),
        labels: Type.Optional(Labels),
      }),
      refers: { location: catalogued('location'), storage_box_type: catalogued('storage_box_type') },
      reply: { action: ActionSchema },
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
  }),
  remove: {
    method: 'DELETE',
    needs: 'member',
    path: one,
    of: one,
    summary: 'Delete a Storage Box with its files and snapshots',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'protected'],
  },
  folders: {
    method: 'GET',
    needs: 'viewer',
    path: '/storage_boxes/{id}/folders',
    of: one,
    summary: 'List the directories in a directory of a Storage Box',
    section,
    query: { path: textParam('A directory of the box, which is itself by default') },
    status: 200,
    reply: Type.Object({ folders: Type.Array(Type.String()) }),
    errors: ['locked'],
  },
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a Storage Box from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
    errors: ['locked'],
  }),
  changeType: action('change_type', {
    needs: 'member',
    summary: 'Give a Storage Box another type',
    body: closedObject({ storage_box_type: IdOrName }),
    refers: { storage_box_type: catalogued('storage_box_type') },
    errors: ['locked'],
  }),
  resetPassword: action('reset_password', {
    needs: 'restricted',
    summary: 'Set the password of a Storage Box',
    body: closedObject({ password: Password }),
    errors: ['locked'],
  }),
  updateAccessSettings: action('update_access_settings', {
    needs: 'restricted',
    summary: 'Change how a Storage Box can be reached',
    body: SomeAccess,
    errors: ['locked'],
  }),
  ...snapshotEndpoints,
  ...subaccountEndpoints,
})
