/** Snapshots of Storage Boxes and the plans by which they are made, on the wire (spec: Storage Boxes). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
import {
  closedObject,
  defineEndpoints,
  Id,
  IdOrName,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../../kernel/contract/contract.ts'
import { flagParam, listingOfParts } from '../../../kernel/contract/parts.ts'
import { ownPart } from '../../../kernel/contract/references.ts'
import { maxDescription } from './domain.ts'

/** Snapshots belong to the family of their boxes; in replies they are called by the last part of their path. */
export const snapshotSpelling = {
  type: 'storage_box_snapshot',
  path: 'storage_box_snapshots',
  title: 'snapshot',
  titles: 'snapshots of Storage Boxes',
  sortable: ['id', 'name', 'created'],
} as const

const section = 'Storage Boxes'
const box = '/storage_boxes/{id}'
const all = `${box}/snapshots` as const
const one = `${all}/{snapshot_id}` as const
const action = actionsOf(box, section)

export const Plan = named('SnapshotPlan', {
  max_snapshots: Type.Integer({ minimum: 1 }),
  minute: Type.Integer({ minimum: 0, maximum: 59, description: 'UTC' }),
  hour: Type.Integer({ minimum: 0, maximum: 23, description: 'UTC' }),
  day_of_week: nullable(Type.Integer({ minimum: 1, maximum: 7, description: 'From Monday; null for every day' })),
  day_of_month: nullable(Type.Integer({ minimum: 1, maximum: 31, description: 'Null for every day' })),
})

export const Snapshot = named('StorageBoxSnapshot', {
  id: Id,
  storage_box: Id,
  name: Type.String(),
  description: Type.String(),
  stats: Type.Object({ size: Type.Integer(), size_filesystem: Type.Integer() }, { description: 'Bytes' }),
  is_automatic: Type.Boolean(),
  labels: Labels,
  created: Timestamp,
})

const Reply = Type.Object({ snapshot: Snapshot })
const Description = Type.Optional(
  Type.String({ maxLength: maxDescription, description: 'Letters, digits, spaces and - _ , : < > + # ! ( ) [ ] { }' }),
)
const written = closedObject({ description: Description, labels: Type.Optional(Labels) })

export const snapshotEndpoints = defineEndpoints({
  listSnapshots: {
    method: 'GET',
    needs: 'viewer',
    path: all,
    of: box,
    summary: 'List the snapshots of a Storage Box, all at once',
    section,
    query: {
      ...listingOfParts(snapshotSpelling.sortable),
      is_automatic: flagParam('Only those that a plan made, or only the others'),
    },
    status: 200,
    reply: Type.Object({ snapshots: Type.Array(Snapshot) }),
    errors: [],
  },
  createSnapshot: {
    method: 'POST',
    needs: 'restricted',
    path: all,
    of: box,
    summary: 'Make a snapshot of a Storage Box',
    section,
    body: written,
    status: 201,
    reply: Type.Object({ snapshot: Type.Object({ id: Id, storage_box: Id }), action: ActionSchema }),
    errors: ['locked', 'resource_limit_exceeded'],
  },
  getSnapshot: {
    method: 'GET',
    needs: 'viewer',
    path: one,
    of: one,
    within: box,
    summary: 'Get a snapshot of a Storage Box',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  updateSnapshot: {
    method: 'PUT',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Change the description or the labels of a snapshot of a Storage Box',
    section,
    body: written,
    status: 200,
    reply: Reply,
    errors: [],
  },
  removeSnapshot: {
    method: 'DELETE',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Delete a snapshot of a Storage Box',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  rollbackSnapshot: action('rollback_snapshot', {
    needs: 'restricted',
    summary: 'Make the files of a Storage Box be those of a snapshot; newer snapshots go',
    body: closedObject({ snapshot: IdOrName }),
    refers: { snapshot: ownPart },
    errors: ['locked'],
  }),
  enableSnapshotPlan: action('enable_snapshot_plan', {
    needs: 'restricted',
    summary: 'Make snapshots of a Storage Box by a plan, which replaces another one',
    body: closedObject({
      max_snapshots: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      minute: Plan.properties.minute,
      hour: Plan.properties.hour,
      day_of_week: Type.Optional(Plan.properties.day_of_week),
      day_of_month: Type.Optional(Plan.properties.day_of_month),
    }),
    errors: ['locked'],
  }),
  disableSnapshotPlan: action('disable_snapshot_plan', {
    needs: 'restricted',
    summary: 'Make snapshots by the plan no longer; those that it made stay',
    errors: ['locked'],
  }),
})
