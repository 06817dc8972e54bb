/** Seeds Projects of this process: plans all of them, then makes them, or nothing at all. */
import { createProject, deleteProject, findProject, type ProjectRow } from '../../kernel/access/projects.ts'
import { isManagementToken, isTokenShaped } from '../../kernel/access/token-text.ts'
import { createToken, isTokenKnown, listTokens } from '../../kernel/access/tokens.ts'
import { recordEvent } from '../../kernel/audit/entries.ts'
import type { AuditActor } from '../../kernel/audit/note.ts'
import type { Database } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { type Document, parseSeed } from './document.ts'
import { type GivenProject, type GivenToken, type Plan, planProject, projectsIn } from './plan.ts'
import { asProblem, type Done, Planting, Run } from './plant.ts'
import { type Present, readProject } from './present.ts'
import { type Parts, Within } from './within.ts'

const nothing: Present = { resources: [], unread: [] }

interface Planned {
  readonly given: GivenProject
  readonly at: string
  readonly project: ProjectRow | undefined
  readonly present: Present
  readonly plan: Plan
  readonly tokens: readonly NewToken[]
}

interface NewToken extends GivenToken {
  readonly field: string
}

/**
 * Makes what a file describes. What is there already and the same stays as it is. Errors: `invalid_input` by field, with
 * nothing made or changed.
 */
export async function seedValue(parts: Parts, actor: AuditActor, value: unknown): Promise<Done> {
  const projects = projectsIn(value, parts.vendor)
  return whileTimePasses(parts, () => seedProjects(parts, actor, projects))
}

/** How many seeds let a clock that stands still pass the time of their actions. */
const passing = new WeakMap<Parts['time'], number>()

/** Lets a clock that stands still pass the time that actions take, where there is any, until the last of several seeds ends. */
async function whileTimePasses<T>({ time, platform }: Parts, work: () => Promise<T>): Promise<T> {
  const before = passing.get(time) ?? 0
  if ((time.mode !== 'frozen' && before === 0) || platform.db.dialect.shared) return work()
  passing.set(time, before + 1)
  try {
    await time.switch('skip')
    return await work()
  } finally {
    // One that begins meanwhile lets it skip again.
    if (passing.get(time) === 1) await time.switch('frozen')
    passing.set(time, passing.get(time)! - 1)
  }
}

async function seedProjects(parts: Parts, actor: AuditActor, projects: readonly GivenProject[]): Promise<Done> {
  const { db } = parts.platform
  const planned = await planAll(parts, actor, projects)
  const run = new Run()
  const done: Done = { created: [], changed: [], left: [] }
  const projectIds: ProjectId[] = []
  try {
    for (const one of planned) {
      const project = one.project ?? (await make(db, run, one, actor))
      const ground = new Within(parts, actor, project.id)
      const planting = new Planting(ground, one.present, run)
      if (!one.project) done.created.push(one.at)
      await planting.carryOut(one.plan)
      for (const key of ['created', 'changed', 'left'] as const) done[key].push(...planting.done[key])
      projectIds.push(project.id)
    }
    await giveTokens(db, planned, projectIds, actor)
    done.created.push(...planned.flatMap(({ tokens }) => tokens.map(({ field }) => field)))
    return done
  } catch (error) {
    throw withLeft(error, await run.takeBack())
  }
}

/** A refusal that also says what could not be taken back. */
function withLeft(error: unknown, left: readonly string[]): unknown {
  if (left.length === 0 || !(error instanceof ApiError)) return error
  const message = `could not be taken back: ${left.join('; ')}`
  const { fields = [] } = (error.details ?? {}) as { readonly fields?: readonly object[] }
  const details = { fields: [...fields, { name: 'projects', messages: [message] }] }
  return new ApiError(error.code, `${error.message}; ${message}`, { details, status: error.status, cause: error })
}

/** Makes what the text of a file describes. Errors: `invalid_input` by field, whose messages say the lines. */
export async function seedText(parts: Parts, actor: AuditActor, text: string): Promise<Done> {
  const document = parseSeed(text)
  try {
    return await seedValue(parts, actor, document.value)
  } catch (error) {
    throw error instanceof ApiError ? withLines(error, document) : error
  }
}

/** A refusal whose messages say in which lines the fields are. */
function withLines(error: ApiError, { lineOf }: Document): ApiError {
  const { fields } = (error.details ?? {}) as { fields?: readonly { name: string; messages: readonly string[] }[] }
  if (error.code !== 'invalid_input' || !fields) return error
  const problems = fields.flatMap(({ name, messages }) =>
    messages.map((message) => ({ field: name, message: `line ${lineOf(name)}: ${message}` })),
  )
  return invalidInput(problems, error.message)
}

async function planAll(parts: Parts, actor: AuditActor, projects: readonly GivenProject[]): Promise<Planned[]> {
  const { db } = parts.platform
  const problems: Problem[] = []
  const planned: Planned[] = []
  const names = new Set<string>()
  const texts = new Set<string>()
  for (const [index, given] of projects.entries()) {
    const at = `projects[${index}]`
    if (names.has(given.name)) problems.push({ field: `${at}.name`, message: 'is there twice' })
    names.add(given.name)
    const project = await findProject(db.query, given.name)
    const present = project ? await readProject(new Within(parts, actor, project.id)) : nothing
    const plan = planProject(given, at, present)
    problems.push(...plan.problems)
    planned.push({ given, at, project, present, plan, tokens: await missingTokens(db, given, { at, texts, problems }) })
  }
  if (problems.length > 0) throw invalidInput(problems.slice(0, 20))
  return planned
}

/** The tokens of a Project that are not there yet. `texts` are those that the file has had so far. */
async function missingTokens(
  db: Database,
  { name: project, tokens = [] }: GivenProject,
  { at, texts, problems }: { readonly at: string; readonly texts: Set<string>; readonly problems: Problem[] },
): Promise<NewToken[]> {
  const known = tokens.length > 0 ? await listTokens(db.query) : []
  const missing: NewToken[] = []
  for (const [index, one] of tokens.entries()) {
    const field = `${at}.tokens[${index}]`
    if (known.some((other) => other.project === project && other.name === one.name)) continue
    const isUsable = isTokenShaped(one.token) && !isManagementToken(one.token)
    if (!isUsable) problems.push({ field: `${field}.token`, message: 'must be the 64 characters of an API token' })
    else if (texts.has(one.token) || (await isTokenKnown(db.query, one.token)))
      problems.push({ field: `${field}.token`, message: 'is a token already' })
    else missing.push({ ...one, field })
    texts.add(one.token)
  }
  return missing
}

async function make(db: Database, run: Run, { given, at }: Planned, actor: AuditActor): Promise<ProjectRow> {
  try {
    const project = await db.transact(async (tx) => {
      const made = await createProject(tx, given.name, timestamp(tx.now))
      await recordEvent(tx, { actor, operation: 'seed', family: 'projects', projectId: made.id, subjects: [made.id] })
      return made
    })
    run.did(at, async () => {
      if (!(await deleteProject(db, project))) throw new ApiError('conflict', 'the Project still has resources')
    })
    return project
  } catch (error) {
    throw error instanceof ApiError ? asProblem(at, error) : error
  }
}

/** Makes the tokens of all Projects, or none. */
async function giveTokens(
  db: Database,
  planned: readonly Planned[],
  projectIds: readonly ProjectId[],
  actor: AuditActor,
): Promise<void> {
  const all = planned.flatMap(({ tokens }, at) => tokens.map((one) => ({ ...one, projectId: projectIds[at]! })))
  if (all.length === 0) return
  await db.transact(async (tx) => {
    for (const { projectId, name, token, read_only: readOnly = false } of all) {
      await createToken(tx, { projectId, name, token, readOnly, created: timestamp(tx.now) })
      await recordEvent(tx, { actor, operation: 'seed', family: 'tokens', projectId })
    }
  })
}
