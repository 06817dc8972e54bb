/** Images on the wire (spec: Image, Images). */

import { Type } from 'typebox'
import { osFlavors } from '../../catalogue/os-flavors.ts'
import { actionsOf } from '../../kernel/actions/contract.ts'
import { since, until } from '../../kernel/contract/as-of.ts'
import { kernelChanges } from '../../kernel/contract/changes.ts'
import {
  booleanParam,
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  idsParam,
  Labels,
  listing,
  Meta,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { Architecture, Deprecation } from '../server-types/contract.ts'

const types = ['system', 'app', 'snapshot', 'backup'] as const
const statuses = ['available', 'creating'] as const

export const Image = named('Image', {
  id: Id,
  type: Type.Enum([...types]),
  status: Type.Enum([...statuses]),
  name: nullable(Type.String()),
  description: Type.String(),
  image_size: nullable(Type.Number({ description: 'GB' })),
  disk_size: Type.Number({ description: 'GB of disk that a server needs at least' }),
  created: Timestamp,
  created_from: nullable(Type.Object({ id: Id, name: Type.String() })),
  bound_to: nullable(Id),
  os_flavor: Type.Enum([...osFlavors]),
  os_version: nullable(Type.String()),
  architecture: since(kernelChanges.architecture_added, Architecture),
  rapid_deploy: Type.Boolean(),
  protection: Type.Object({ delete: Type.Boolean() }),
  labels: Labels,
  deprecation: nullable(Deprecation),
  deprecated: until(kernelChanges.deprecated_field_removed, nullable(Timestamp)),
  deleted: nullable(Timestamp),
})

export const spelling = {
  type: 'image',
  path: 'images',
  title: 'image',
  titles: 'images',
  sortable: ['id', 'created'],
} as const

const section = 'Images'
const action = actionsOf('/images/{id}', section)

export const imageEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    needs: 'viewer',
    path: '/images',
    summary: 'List images',
    section,
    query: {
      ...listing(['id', 'name', 'created']),
      type: enumParam('Only images of this type', types),
      status: enumParam('Only images with this status', statuses),
      bound_to: idsParam('Only backups of the server with this id'),
      include_deprecated: booleanParam('Also deprecated images that can still be ordered'),
      architecture: enumParam('Only images for this architecture', ['x86', 'arm']),
    },
    status: 200,
    reply: Type.Object({ images: Type.Array(Image), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    needs: 'viewer',
    path: '/images/{id}',
    of: '/images/{id}',
    summary: 'Get an image, also a deprecated one',
    section,
    status: 200,
    reply: Type.Object({ image: Image }),
    errors: [],
  },
  update: {
    method: 'PUT',
    needs: 'restricted',
    path: '/images/{id}',
    of: '/images/{id}',
    summary: 'Change description or labels of a snapshot or backup, or make a backup a snapshot',
    section,
    body: closedObject({
      description: Type.Optional(Type.String({ maxLength: 1_024 })),
      labels: Type.Optional(Labels),
      type: Type.Optional(Type.Enum(['snapshot'])),
    }),
    status: 200,
    reply: Type.Object({ image: Image }),
    errors: ['unsupported_error', 'conflict'],
  },
  remove: {
    method: 'DELETE',
    needs: 'member',
    path: '/images/{id}',
    of: '/images/{id}',
    summary: 'Delete a snapshot or a backup',
    section,
    status: 204,
    errors: ['unsupported_error', 'locked', 'protected'],
  },
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a snapshot from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
    errors: ['unsupported_error'],
  }),
})
