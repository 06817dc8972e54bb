/** The wire format of the whole installation for operators: its Projects, its mail, its health and its options. */
import { Type } from 'typebox'
import { holdUps } from '../../kernel/actions/waiting.ts'
import { idParam } from '../../kernel/audit/contract.ts'
import { Next } from '../../kernel/audit/wire.ts'
import {
  defineEndpoints,
  enumParam,
  Id,
  Meta,
  named,
  nullable,
  Timestamp,
  widePaging,
} from '../../kernel/contract/contract.ts'
import { verdicts } from '../../kernel/process/seen.ts'
import { Counts, Limit } from '../shapes.ts'

const own = { family: 'installation', section: 'Management', needs: 'operator' } as const

const InstalledProject = named('InstalledProject', {
  id: Id,
  name: Type.String(),
  created: Timestamp,
  owner_email: nullable(Type.String()),
  owner: nullable(Type.Object({ person_id: Id, email: Type.String(), name: Type.String() })),
  members: Type.Integer({ minimum: 0 }),
  resources: Counts,
  limits: Type.Array(Limit),
})

export const mailStates = ['waiting', 'sent', 'logged', 'given_up'] as const

const Mail = named('Mail', {
  id: Id,
  created: Timestamp,
  finished: nullable(Timestamp),
  project: Type.Object({ id: Id, name: Type.String() }),
  recipient: Type.String(),
  subject: Type.String(),
  state: Type.Enum([...mailStates]),
  attempts: Type.Integer({ minimum: 0 }),
  next_attempt: nullable(Timestamp),
  last_error: nullable(Type.String()),
})

const Milliseconds = Type.Number({ minimum: 0, description: 'Milliseconds' })
const Bytes = Type.Integer({ minimum: 0, description: 'Bytes' })
const Works = Type.Enum(['ok', 'failing'])
const Queue = Type.Object({
  waiting: Type.Integer({ minimum: 0 }),
  oldest: nullable(Timestamp),
})

const Health = named('InstallationHealth', {
  version: Type.String(),
  runtime: Type.String(),
  started: Timestamp,
  now: Timestamp,
  memory: Bytes,
  database: Type.Object({
    kind: Type.String(),
    location: Type.String(),
    size: nullable(Bytes),
    latency: nullable(Milliseconds),
    reads: Works,
    writes: Works,
    state: Type.Enum(['ok', 'damaged']),
  }),
  queues: Type.Object({ actions: Queue, mail: Queue }),
  jobs: Type.Array(
    named('JobRun', {
      name: Type.String(),
      last_run: nullable(Timestamp),
      took: nullable(Milliseconds),
      failed: Type.Boolean({ description: 'Whether it failed when it last ran' }),
    }),
  ),
})

const ProjectName = Type.Object({ id: Id, name: Type.String() })

const OpenAction = named('OpenAction', {
  id: Id,
  command: Type.String(),
  project: ProjectName,
  resources: Type.Array(Type.Object({ id: Id, type: Type.String() })),
  started: Timestamp,
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  step: nullable(Type.String({ description: 'The step that runs or comes next' })),
  attempts: Type.Integer({ minimum: 0 }),
  waits_for: Type.Enum([...holdUps]),
  behind: nullable(Type.Object({ queue: Type.String(), action: Id })),
  until: nullable(Timestamp),
  worker: nullable(Type.String({ description: 'The worker that has it: machine, process and a number' })),
})

const ServingProcess = named('ServingProcess', {
  name: Type.String({ description: 'Its machine and its number there' }),
  started: nullable(Timestamp),
  version: nullable(Type.String()),
  memory: nullable(Bytes),
  connections: nullable(Type.Integer({ minimum: 0, description: 'To the database' })),
  jobs: nullable(
    Type.Array(
      named('JobState', {
        name: Type.String(),
        last_run: nullable(Timestamp),
        next_run: nullable(Timestamp),
        took: nullable(Milliseconds),
        failed: Type.Boolean(),
      }),
    ),
  ),
})

const Status = named('InstallationStatus', {
  now: Timestamp,
  processes: Type.Array(ServingProcess),
  actions: Type.Object({
    total: Type.Integer({ minimum: 0 }),
    oldest: Type.Array(OpenAction, { description: 'The oldest of them, at most 100' }),
  }),
  queues: Type.Array(
    named('ProjectQueue', {
      project: ProjectName,
      actions: Type.Integer({ minimum: 0 }),
      held: Type.Integer({ minimum: 0, description: 'How many of them a worker has' }),
      oldest: Timestamp,
    }),
  ),
  mail: Queue,
})

const Diagnosis = named('Diagnosis', {
  check: Type.String({ description: 'The part that was looked at, or the name of a family' }),
  subject: Type.String(),
  verdict: Type.Enum([...verdicts]),
  seen: Type.String(),
  advice: nullable(Type.String()),
})

const EffectiveOption = named('EffectiveOption', {
  flag: Type.String(),
  environment: nullable(Type.String()),
  description: Type.String(),
  value: nullable(Type.String({ description: 'Null for what is not set, and for secrets' })),
  source: Type.Enum(['flag', 'environment', 'file', 'default']),
  secret: Type.Boolean({ description: 'Whether its value is never shown' }),
})

export const installationEndpoints = defineEndpoints({
  listInstalledProjects: {
    ...own,
    method: 'GET',
    path: '/installation/projects',
    summary: 'List all Projects with their owners, what they hold and their limits',
    query: widePaging(50),
    status: 200,
    reply: Type.Object({ projects: Type.Array(InstalledProject), meta: Meta }),
    errors: [],
  },
  deleteInstalledProject: {
    ...own,
    method: 'DELETE',
    elevated: true,
    path: '/installation/projects/{project_id}',
    summary: 'Delete an empty Project with its tokens, whoever owns it',
    status: 204,
    errors: ['project_not_empty'],
    statuses: { project_not_empty: 409 },
  },
  listMail: {
    ...own,
    method: 'GET',
    path: '/installation/mail',
    summary: 'List the mail to the owners of Projects, newest first',
    query: {
      state: enumParam('Only mail in this state', mailStates),
      before: idParam('Only mail before the one with this id: `meta.next` of the page before'),
      per_page: widePaging(1_000).per_page,
    },
    status: 200,
    reply: Type.Object({ mail: Type.Array(Mail), meta: Next }),
    errors: [],
  },
  retryMail: {
    ...own,
    method: 'POST',
    path: '/installation/mail/{mail_id}/retry',
    summary: 'Queue mail again that was given up or only logged; it goes to the present owner',
    status: 200,
    reply: Type.Object({ mail: Mail }),
    errors: ['mail_not_retryable'],
  },
  getHealth: {
    ...own,
    method: 'GET',
    path: '/installation/health',
    summary: 'Tell how this process and its database are',
    status: 200,
    reply: Type.Object({ health: Health }),
    errors: [],
  },
  getStatus: {
    ...own,
    method: 'GET',
    path: '/installation/status',
    summary: 'Tell what runs, what waits for what, and since when',
    status: 200,
    reply: Type.Object({ status: Status }),
    errors: [],
  },
  getDiagnoses: {
    ...own,
    method: 'GET',
    path: '/installation/doctor',
    summary: 'Look at everything that this process needs: what is wrong, and what to do',
    status: 200,
    reply: Type.Object({ diagnoses: Type.Array(Diagnosis) }),
    errors: [],
  },
  listOptions: {
    ...own,
    method: 'GET',
    path: '/installation/options',
    summary: 'List the options of this process and where they come from; secrets are never shown',
    status: 200,
    reply: Type.Object({ options: Type.Array(EffectiveOption) }),
    errors: [],
  },
})
