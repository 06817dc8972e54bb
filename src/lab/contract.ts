/** The lab on the wire, below `/wolke/v1`: what people who test infrastructure code ask of a cloud (docs/testing.md). */
import { Type } from 'typebox'
import { projectResetPath } from '../kernel/audit/project-resets.ts'
import {
  closedObject,
  defineEndpoints,
  Id,
  integerParam,
  named,
  nullable,
  Timestamp,
} from '../kernel/contract/contract.ts'
import { clockModes } from './clock.ts'
import { reportEndpoints } from './report/contract.ts'

const states = { family: 'snapshots', section: 'The lab', needs: 'operator' } as const
const forks = { family: 'forks', section: 'The lab', needs: 'operator' } as const
const own = { family: 'clock', section: 'The lab', needs: 'operator' } as const

const Event = named('ClockEvent', {
  time: Timestamp,
  event: Type.String(),
  resource: nullable(Type.Object({ id: Id, type: Type.String() })),
  project: nullable(Id),
})

const Clock = named('Clock', {
  now: Timestamp,
  mode: Type.Enum([...clockModes]),
  next_event: nullable(Event),
})

const Fork = named('Fork', {
  id: Id,
  base_url: Type.String(),
  wolke_url: Type.String(),
  dns: nullable(Type.String()),
  created: Timestamp,
  ends: Timestamp,
})

const Snapshot = named('Snapshot', {
  name: Type.String(),
  now: Timestamp,
  size: Type.Integer({ minimum: 0, description: 'Bytes' }),
})

/** The largest file with a snapshot. */
export const mostFileBytes = 48 * 1024 * 1024
const SnapshotFile = Type.String({ maxLength: (4 * mostFileBytes) / 3, description: 'In base64' })

const clock = Type.Object({ clock: Clock })

export const labEndpoints = defineEndpoints({
  getClock: {
    ...own,
    method: 'GET',
    path: '/clock',
    summary: 'Tell the time of the lab, and what happens next',
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  setClock: {
    ...own,
    method: 'PUT',
    path: '/clock',
    summary: 'Let time run, stand still, or skip to what happens next whenever somebody waits',
    body: closedObject({ mode: Type.Enum([...clockModes]) }),
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  advanceClock: {
    ...own,
    method: 'POST',
    path: '/clock/advance',
    summary: 'Move time on, and let everything happen that has its date until then',
    body: closedObject({
      by: Type.Optional(Type.String({ maxLength: 32, examples: ['30d', '1h30m'] })),
      to: Type.Optional(Type.String({ maxLength: 40, examples: ['2027-04-01T00:00:00Z'] })),
    }),
    status: 200,
    reply: clock,
    errors: ['unsupported_error'],
  },
  listForks: {
    ...forks,
    method: 'GET',
    path: '/forks',
    summary: 'List the forks of this cloud',
    status: 200,
    reply: Type.Object({ forks: Type.Array(Fork) }),
    errors: ['unsupported_error'],
  },
  createFork: {
    ...forks,
    method: 'POST',
    path: '/forks',
    summary: 'Make a cloud that begins as this one is now, at an address of its own',
    body: closedObject({
      ttl: Type.Optional(Type.String({ maxLength: 32, examples: ['10m'] })),
      dns: Type.Optional(Type.Boolean()),
    }),
    status: 201,
    reply: Type.Object({ fork: Fork }),
    errors: ['unsupported_error', 'resource_limit_exceeded'],
  },
  getFork: {
    ...forks,
    method: 'GET',
    path: '/forks/{id}',
    summary: 'Get a fork',
    status: 200,
    reply: Type.Object({ fork: Fork }),
    errors: ['unsupported_error', 'not_found'],
  },
  deleteFork: {
    ...forks,
    method: 'DELETE',
    path: '/forks/{id}',
    summary: 'End a fork',
    status: 204,
    errors: ['unsupported_error', 'not_found'],
  },
  reset: {
    ...states,
    method: 'POST',
    path: '/reset',
    summary: 'Put everything back as it was when the server had started',
    status: 204,
    errors: ['unsupported_error'],
  },
  resetProject: {
    ...states,
    method: 'POST',
    path: projectResetPath,
    summary: 'Delete everything in a Project at once; its tokens, members and limits stay',
    status: 204,
    errors: ['unsupported_error'],
  },
  listSnapshots: {
    ...states,
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots of the cloud',
    status: 200,
    reply: Type.Object({ snapshots: Type.Array(Snapshot) }),
    errors: ['unsupported_error'],
  },
  saveSnapshot: {
    ...states,
    method: 'PUT',
    path: '/snapshots/{name}',
    summary: 'Keep the present state of the cloud under a name',
    status: 200,
    reply: Type.Object({ snapshot: Snapshot }),
    errors: ['unsupported_error', 'resource_limit_exceeded', 'invalid_input'],
  },
  exportSnapshot: {
    ...states,
    method: 'GET',
    path: '/snapshots/{name}/file',
    summary: 'Get a snapshot as a file that another machine loads; it opens all secrets that are in it',
    forms: { 'application/octet-stream': (reply) => Buffer.from((reply as { file: string }).file, 'base64') },
    status: 200,
    reply: Type.Object({ file: SnapshotFile }),
    errors: ['unsupported_error'],
  },
  importSnapshot: {
    ...states,
    method: 'PUT',
    path: '/snapshots/{name}/file',
    summary: 'Keep the snapshot of a file under a name',
    file: true,
    maxBodyBytes: 1_024 + (4 * mostFileBytes) / 3,
    body: closedObject({ file: SnapshotFile }),
    status: 200,
    reply: Type.Object({ snapshot: Snapshot }),
    errors: ['unsupported_error', 'resource_limit_exceeded'],
  },
  restoreSnapshot: {
    ...states,
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Put the cloud back into a state that was kept',
    status: 204,
    errors: ['unsupported_error', 'not_found'],
  },
  deleteSnapshot: {
    ...states,
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Forget a snapshot',
    status: 204,
    errors: ['unsupported_error', 'not_found'],
  },
  listClockEvents: {
    ...own,
    method: 'GET',
    path: '/clock/events',
    summary: 'List what happens next by itself, and when',
    query: { limit: integerParam('The most events', 25, 1_000, true) },
    status: 200,
    reply: Type.Object({ events: Type.Array(Event) }),
    errors: ['unsupported_error'],
  },
  ...reportEndpoints,
})
