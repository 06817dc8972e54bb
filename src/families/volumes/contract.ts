/** Volumes on the wire (spec: Volume, Volumes). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema } from '../../kernel/actions/contract.ts'
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
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Volumes'
const closed = { additionalProperties: false } as const
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
    section,
    filters: { status: enumParam('Only volumes with this status', volumeStatuses) },
    create: {
      body: Type.Object(
        {
          name: Name,
          size: Size,
          location: Type.Optional(nullable(IdOrName)),
          server: Type.Optional(nullable(Id)),
          automount: Type.Optional(Type.Boolean()),
          format: Type.Optional(nullable(Format)),
          labels: Type.Optional(Labels),
        },
        closed,
      ),
      reply: { action: ActionSchema, next_actions: Type.Array(ActionSchema) },
      errors: ['locked'],
    },
    update: { body: Type.Object({ name: Type.Optional(Name), labels: Type.Optional(Labels) }, closed) },
    remove: { errors: ['locked', 'protected', 'service_error'] },
  }),
  attach: {
    method: 'POST',
    path: '/volumes/{id}/actions/attach',
    summary: 'Attach a volume to a server',
    section,
    body: Type.Object({ server: Id, automount: Type.Optional(Type.Boolean()) }, closed),
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'volume_already_attached', 'resource_limit_exceeded'],
  },
  detach: {
    method: 'POST',
    path: '/volumes/{id}/actions/detach',
    summary: 'Detach a volume from its server',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked', 'service_error'],
  },
  resize: {
    method: 'POST',
    path: '/volumes/{id}/actions/resize',
    summary: 'Make a volume larger',
    section,
    body: Type.Object({ size: Size }, closed),
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  changeProtection: {
    method: 'POST',
    path: '/volumes/{id}/actions/change_protection',
    summary: 'Protect a volume from deletion, or no longer',
    section,
    body: Type.Object({ delete: Type.Optional(Type.Boolean()) }, closed),
    status: 201,
    reply: ActionReply,
    errors: [],
  },
})
