/** Operators see and manage the whole installation through these handlers, one for each endpoint. */
import type { Diagnosis } from '../../doctor/diagnosis.ts'
import { getProject, pageOfProjects, projectsByIds } from '../../kernel/access/projects.ts'
import { openActions } from '../../kernel/actions/claims.ts'
import { noteProject } from '../../kernel/audit/audited.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { databaseSize, type Health } from '../../kernel/data/health.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { mailById, openMail, pageOfMail, retryMail } from '../../kernel/mail/deliveries.ts'
import type { MailRow } from '../../kernel/mail/outbox.ts'
import type { MailContent } from '../../kernel/mail/template.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { Jobs } from '../../kernel/process/jobs.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { countMembers, ownersOf } from '../../people/memberships/membership-store.ts'
import type { People } from '../../people/people.ts'
import { peopleByIds } from '../../people/person-store.ts'
import type { Platform } from '../../platform.ts'
import { version } from '../../version.ts'
import { holdings } from '../limits.ts'
import { removeProject } from '../projects.ts'
import type { installationEndpoints } from './contract.ts'
import { serving, statusOf } from './status.ts'

/** An option of the process: what it is set to, and by what. */
export interface EffectiveOption {
  readonly flag: string
  readonly environment: string | null
  readonly description: string
  /** Null for what is not set, and for secrets. */
  readonly value: string | null
  readonly source: 'flag' | 'environment' | 'file' | 'default'
  readonly secret: boolean
}

/** The state of the process itself. */
export interface Process {
  /** The start of the process, in ms since the epoch. */
  readonly startedAt: number
  readonly options: readonly EffectiveOption[]
  readonly jobs: Pick<Jobs, 'runs'>
  health(): Promise<Health>
  /** Looks at everything that it needs (docs/operating/doctor.md). */
  diagnose(): Promise<readonly Diagnosis[]>
}

type Routes = Handlers<typeof installationEndpoints>

/** One handler for each endpoint. */
export function installationRoutes(platform: Platform, sessions: People['sessions'], process: Process): Routes {
  return {
    ...projectRoutes(platform, sessions),
    ...mailRoutes(platform),
    getStatus: async () => ({ status: await statusOf(platform.db, [serving(process)]) }),
    getDiagnoses: async () => ({ diagnoses: [...(await process.diagnose())] }),
    getHealth: async () => ({ health: await healthOf(platform, process) }),
    listOptions: async () => ({ options: process.options.map((option) => ({ ...option })) }),
  }
}

// ---- Projects ------------------------------------------------------------------------------------------------------

function projectRoutes(
  { db, limits }: Platform,
  sessions: People['sessions'],
): Pick<Routes, 'listInstalledProjects' | 'deleteInstalledProject'> {
  return {
    async listInstalledProjects({ query: request }) {
      const { rows, pagination } = await pageOfProjects(db.query, request)
      const ids = rows.map(({ id }) => id)
      const held = await holdings(db.query, ids, limits)
      const [members, owners] = [await countMembers(db.query, ids), await ownersOf(db.query, ids)]
      const people = await peopleByIds(db.query, [...new Set(owners.values())])
      const projects = rows.map(({ id, name, created, owner_email }) => {
        const owner = people.get(owners.get(id) ?? 0)
        return {
          ...{ id, name, created, owner_email },
          owner: owner ? { person_id: owner.id, email: owner.email, name: owner.name } : null,
          members: members.get(id) ?? 0,
          ...held.get(id)!,
        }
      })
      return { projects, meta: { pagination } }
    },
    async deleteInstalledProject({ params: { project_id } }) {
      const project = await getProject(db.query, { projectId: project_id as ProjectId })
      noteProject(project)
      await removeProject(db, project, sessions)
    },
  }
}

// ---- Mail ----------------------------------------------------------------------------------------------------------

function mailRoutes({ db }: Platform): Pick<Routes, 'listMail' | 'retryMail'> {
  return {
    async listMail({ query: { state, before, per_page } }) {
      const { rows, next } = await pageOfMail(db.query, state, { before, most: per_page })
      return { mail: await mailToWire(db.query, rows), meta: { next } }
    },
    async retryMail({ params: { mail_id: id } }) {
      return db.transact(async (tx) => {
        const mail = await mailById(tx.query, id)
        if (!mail) throw notFound('mail', id)
        if (!(await retryMail(tx, id)))
          throw new ApiError(
            'mail_not_retryable',
            'only mail that was given up or logged is sent again, to a Project with an owner',
          )
        const [wire] = await mailToWire(tx.query, [(await mailById(tx.query, id))!])
        noteProject(wire!.project, tx)
        tx.signal('mail', String(id))
        return { mail: wire! }
      })
    },
  }
}

async function mailToWire(query: Queries, rows: readonly MailRow[]) {
  const projects = await projectsByIds(
    query,
    rows.map((row) => row.project_id),
  )
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return rows.map(({ id, created, finished, project_id, recipient, content, state, attempts, ...row }) => ({
    ...{ id, created, finished, recipient, state, attempts, last_error: row.last_error },
    project: { id: project_id, name: names.get(project_id) ?? '' },
    subject: (JSON.parse(content) as MailContent).subject,
    next_attempt: state === 'waiting' ? timestamp(row.next_attempt_at) : null,
  }))
}

// ---- Health --------------------------------------------------------------------------------------------------------

async function healthOf({ db, clock }: Platform, { startedAt, jobs, health }: Process) {
  const { reads, writes, database } = await health()
  const size = reads === 'ok' ? await databaseSize(db) : undefined
  const empty = { waiting: 0, oldest: null }
  return {
    version,
    runtime: `Node.js ${globalThis.process.versions.node}`,
    started: timestamp(startedAt),
    now: timestamp(clock.now()),
    memory: globalThis.process.memoryUsage.rss(),
    database: {
      ...{ kind: db.dialect.title, location: db.location, reads, writes, state: database },
      size: size?.bytes ?? null,
      latency: size?.tookMs ?? null,
    },
    queues: {
      actions: size ? await openActions(db.query) : empty,
      mail: size ? await openMail(db.query) : empty,
    },
    jobs: jobs.runs().map(({ name, last }) => ({
      name,
      last_run: last ? timestamp(last.startedAt) : null,
      took: last ? Math.round(last.tookMs * 10) / 10 : null,
      failed: last?.hasFailed ?? false,
    })),
  }
}
