/** Measures what the snapshot plans of many Storage Boxes cost the clock in a minute, whether or not some are due in it. */
import { nextOf } from '../src/families/storage-boxes/snapshots/domain.ts'
import { startPlanned } from '../src/families/storage-boxes/snapshots/jobs.ts'
import { createProject } from '../src/kernel/access/projects.ts'
import type { Database } from '../src/kernel/data/db.ts'
import type { DatabaseUrl } from '../src/kernel/data/dialect.ts'
import { migrate } from '../src/kernel/data/migrate.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { acrossProjects } from '../src/kernel/data/scoped.ts'
import { type Clock, timestamp } from '../src/kernel/process/clock.ts'
import type { ProjectScope } from '../src/kernel/scope.ts'
import { migrations } from '../src/migrations/index.ts'
import { createDatabase, startPostgres } from '../test/kit/database/postgres.ts'
import type { Workshop } from './processes.ts'
import { median, type Row } from './report.ts'

const boxes = 10_000
const minutesOfDay = 1_440
const minuteMs = 60_000
/** The processor time of a minute that is promised, in milliseconds. */
const promisedMs = 5
const minutes = 60
/** So many that those with plans for the same minute are of different ones. */
const manyProjects = 1_000
const beginMs = Date.parse('2026-11-28T00:00:30Z')

export async function plans(workshop: Workshop): Promise<Row[]> {
  const server = await startPostgres({ durable: true })
  workshop.keep(() => server.stop())
  const rows: Row[] = []
  for (const projects of [1, manyProjects]) {
    const { url } = await createDatabase(server.url)
    rows.push(
      ...(await measured('SQLite', { engine: 'sqlite', path: workshop.file('plans.db') }, projects)),
      ...(await measured('PostgreSQL', { engine: 'postgres', url }, projects)),
    )
  }
  return rows
}

async function measured(title: string, at: DatabaseUrl, projects: number): Promise<Row[]> {
  let nowMs = beginMs
  const clock = { now: () => nowMs }
  const db = await openDatabase(at, { clock })
  try {
    await migrate(db, migrations)
    await insertBoxes(db, projects)
    const plans = { db, clock }
    const rowOf = (name: string, { cpuMs, wallMs, due }: Minute): Row => ({
      name: `storage, a minute of ${boxes} plans of ${projects} Projects, ${name}, ${title}`,
      unit: 'ms',
      wolke: cpuMs,
      bar: { text: `<= ${promisedMs} ms`, met: cpuMs <= promisedMs },
      note: `processor time of this process; ${wallMs.toFixed(1)} ms pass, ${due} snapshots begin`,
    })
    // The first ones compile what they run, and look at what nobody has read yet.
    for (let n = 0; n < 5; n++) await minute(plans)
    const none = await medianOf(minutes, () => minute(plans))
    const some = await medianOf(minutes, () => {
      nowMs += minuteMs
      return minute(plans)
    })
    return [rowOf('none due', none), rowOf('some due', some)]
  } finally {
    await db.close()
  }
}

interface Plans {
  readonly db: Database
  readonly clock: Clock
}

interface Minute {
  readonly cpuMs: number
  readonly wallMs: number
  /** Snapshots that began. */
  readonly due: number
}

async function minute(plans: Plans): Promise<Minute> {
  const before = await snapshotsOf(plans)
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  await startPlanned(plans)
  const { user, system } = process.cpuUsage(cpu)
  const wallMs = performance.now() - wall
  return { cpuMs: (user + system) / 1_000, wallMs, due: (await snapshotsOf(plans)) - before }
}

async function snapshotsOf({ db }: Plans): Promise<number> {
  const [row] = await acrossProjects(db.query)
    .selectFrom('storage_box_snapshot')
    .select(({ fn }) => fn.countAll().as('count'))
    .execute()
  return Number(row!.count)
}

async function medianOf(count: number, measure: () => Promise<Minute>): Promise<Minute> {
  const all: Minute[] = []
  for (let n = 0; n < count; n++) all.push(await measure())
  const of = (pick: (one: Minute) => number) => median(all.map(pick))
  return { cpuMs: of(({ cpuMs }) => cpuMs), wallMs: of(({ wallMs }) => wallMs), due: of(({ due }) => due) }
}

const atOnce = 500

/** Makes boxes with daily plans, at all minutes of the day alike, one after another in each of some Projects. */
async function insertBoxes(db: Database, projects: number): Promise<void> {
  const created = timestamp(beginMs)
  const owners = await db.transact(async (tx) => {
    const made: ProjectScope[] = []
    for (let n = 0; n < projects; n++) made.push({ projectId: (await createProject(tx, `project-${n}`, created)).id })
    return made
  })
  const flags = {
    reachable_externally: 0,
    samba_enabled: 0,
    ssh_enabled: 1,
    webdav_enabled: 0,
    zfs_enabled: 0,
  } as const
  const nothing = { size: 0, size_data: 0, size_snapshots: 0, subaccounts_made: 0, last_snapshot: '' }
  const state = { is_leaving: 0, protect_delete: 0, labels: '{}', version: 1, created, ssh_keys: '[]' } as const
  for (let from = 0; from < boxes; from += atOnce) {
    await db.transact(async (tx) => {
      const ids = await tx.drawIds(atOnce)
      const rows = ids.map((id, index) => {
        const minute = (from + index) % minutesOfDay
        const plan = {
          maxSnapshots: 10,
          minute: minute % 60,
          hour: Math.floor(minute / 60),
          dayOfWeek: null,
          dayOfMonth: null,
        }
        const { projectId } = owners[(from + index) % projects]!
        return {
          project_id: projectId,
          ...{ ...flags, ...nothing, ...state, id, name: `box-${from + index}`, status: 'active' as const },
          ...{ storage_box_type: 1, location: 1, password_hash: '', former_password_hash: null, capacity: 1 << 40 },
          plan: JSON.stringify(plan),
          plan_next: timestamp(nextOf(plan, beginMs)),
        }
      })
      await acrossProjects(tx.query).insertInto('storage_box').values(rows).execute()
    })
  }
}
