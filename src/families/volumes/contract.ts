/** Volumes on the wire (spec: Volume, Volumes). */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
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
import { catalogued, refersTo } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { Location } from '../locations/contract.ts'
import { largestVolume, smallestVolume, volumeFormats, volumeStatuses } from './domain.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    volume_already_attached: 422
  }
}

export const spelling = {
  type: 'volume',
  path: 'volumes',
  title: 'volume',
  titles: 'volumes',
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Volumes'
const action = actionsOf('/volumes/{id}', section)
const Format = Type.Enum([...volumeFormats])

export const Volume = named('Volume', {
  id: Id,
  name: Type.String(),
  status: Type.Enum([...volumeStatuses]),
  size: Type.Integer(),
  location: Location,
  server: nullable(Id),
  linux_device: Type.String(),
  format: nullable(Format),
  labels: Labels,
  protection: Type.Object({ delete: Type.Boolean() }),
  created: Timestamp,
})

const Name = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, dashes, underscores and dots, with a letter or digit at both ends',
})
const Size = Type.Integer({ minimum: smallestVolume, maximum: largestVolume, description: 'GB' })

export const volumeEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Volume, {
    needs: 'member',
    section,
    filters: { status: enumParam('Only volumes with this status', volumeStatuses) },
    create: {
      body: closedObject({
        name: Name,
        size: Size,
        location: Type.Optional(nullable(IdOrName)),
        server: Type.Optional(nullable(Id)),
        automount: Type.Optional(Type.Boolean()),
        format: Type.Optional(nullable(Format)),
        labels: Type.Optional(Labels),
      }),
      refers: { location: catalogued('location'), server: refersTo('server') },
      reply: { action: ActionSchema, next_actions: Type.Array(ActionSchema) },
      errors: ['locked', 'unsupported_error'],
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
    remove: { errors: ['locked', 'protected', 'service_error'] },
  }),
  attach: action('attach', {
    needs: 'restricted',
    summary: 'Attach a volume to a server',
    body: closedObject({ server: Id, automount: Type.Optional(Type.Boolean()) }),
    refers: { server: refersTo('server') },
    errors: ['locked', 'volume_already_attached', 'resource_limit_exceeded'],
  }),
  detach: action('detach', {
    needs: 'restricted',
    summary: 'Detach a volume from its server',
    errors: ['locked', 'service_error'],
  }),
  resize: action('resize', {
    needs: 'member',
    summary: 'Make a volume larger',
    body: closedObject({ size: Size }),
    errors: ['locked'],
  }),
  changeProtection: action('change_protection', {
    needs: 'restricted',
    summary: 'Protect a volume from deletion, or no longer',
    body: closedObject({ delete: Type.Optional(Type.Boolean()) }),
  }),
})
