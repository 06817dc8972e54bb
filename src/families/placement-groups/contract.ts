/** Placement groups on the wire (spec: Placement group, Placement groups). */
import { Type } from 'typebox'
import { ActionSchema } from '../../kernel/actions/contract.ts'
import {
  closedObject,
  defineEndpoints,
  enumParam,
  Id,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { placementGroupTypes } from './domain.ts'

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    placement_group_member_limit_reached: 422
  }
}

export const spelling = {
  type: 'placement_group',
  path: 'placement_groups',
  title: 'placement group',
  titles: 'placement groups',
  sortable: ['id', 'name', 'created'],
} as const

const GroupType = Type.Enum([...placementGroupTypes])

export const PlacementGroup = named('PlacementGroup', {
  id: Id,
  name: Type.String(),
  labels: Labels,
  type: GroupType,
  servers: Type.Array(Id),
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 255 })

export const placementGroupEndpoints = defineEndpoints(
  resourceEndpoints(spelling, PlacementGroup, {
    needs: 'restricted',
    section: 'Placement groups',
    filters: { type: enumParam('Only placement groups of this type', placementGroupTypes) },
    create: {
      body: closedObject({ name: Name, type: GroupType, labels: Type.Optional(Labels) }),
      reply: { action: nullable(ActionSchema) },
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
    remove: { errors: ['conflict'] },
  }),
)
