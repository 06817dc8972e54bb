/**
 * Every endpoint, called by every kind of caller: what its row of the contract needs decides who is let in, and nothing
 * else does. Who is refused changes nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { isRole } from '../../../src/kernel/access/roles.ts'
import { commandOf, familyOf, verbOf } from '../../../src/kernel/access/token-scope.ts'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import { emptyProject } from '../../../src/management/proof.ts'
import { countedPaths } from '../../../src/management/store.ts'
import { checkConsistency } from '../../kit/consistency.ts'
import { dump } from '../../kit/database/dump.ts'
import { type Answer, forEachDatabase, testClock, type World } from '../../kit/harness.ts'
import { firstProject, scopedClient } from '../../kit/http/scoped-clients.ts'
import { nothingIn, type OwnRow, ownPlaceIn, ownRequest, ownRows } from '../../kit/own-requests.ts'
import { neverExisted } from '../../kit/proof.ts'
import { samples } from '../../kit/proofs.ts'
import { assertRefused } from '../../kit/refusals.ts'
import {
  each,
  type Row as PublicRow,
  parts,
  pathOf,
  prepare,
  rows as publicRows,
  type Ready,
} from '../../kit/requests.ts'
import { type Caller, call, makeCallers, type Projects, type Request, type Row } from '../kit/callers.ts'
import { decisionOf, needs, operationOf, toldBy, toldTo } from '../kit/told.ts'

/** The stream of events, which is no row of the contract. */
const events: Row = { name: 'events', base: '', endpoint: { method: 'GET', path: '/events', needs: 'viewer' } }
const rows: readonly Row[] = [...publicRows, ...ownRows, events]
/** How many kinds of callers there are. */
const kinds = 47

/** A request that is carried out for who is let in, and one that is then refused for what it says. */
interface Asked {
  readonly valid: Request
  readonly harmless: Request
  /** True when nothing would be left of the world if it were carried out. */
  readonly isHarmful?: boolean
  /** Whether an answer to the valid one is as its row promises. */
  isDone(answer: Answer): boolean
}

interface Scene {
  readonly world: World
  readonly projects: Projects
  readonly callers: readonly Caller[]
  /** How many calls there were. */
  cells: number
}

async function sceneIn(world: World): Promise<Scene> {
  const own = await firstProject(world)
  const other = await world.db.transact((tx) => createProject(tx, 'other', timestamp(tx.now)))
  const projects = { own, other: other.id }
  return { world, projects, callers: await makeCallers(world, projects), cells: 0 }
}

/** What a row needs as it was decided, whatever the row says. */
function decidedNeed(row: Row) {
  const decision = needs[decisionOf(row)]
  assert.ok(decision, 'nobody has decided who may call it')
  return decision[1]
}

/** All cells of a row at once: what it tells each caller is what the tables say. */
async function checkRow(scene: Scene, row: Row, { valid, harmless, isDone, isHarmful }: Asked): Promise<void> {
  const { world, projects, callers } = scene
  const need = decidedNeed(row)
  const before = await dump(world.db)
  const expected = new Map(callers.map((caller) => [caller, toldTo(caller, row, need)]))
  const told = new Map<Caller, string>()
  const ask = async (caller: Caller, request: Request) => {
    const answer = await call(world, caller, row, projects.own, request)
    const isRead = row.endpoint.method === 'GET'
    const tells = toldBy(answer)
    scene.cells++
    // Who is let in reads it, unless it is of another Project.
    if (expected.get(caller) !== 'in' || tells === 'hidden') return void told.set(caller, tells)
    if (isRead && !caller.isElsewhere) return void told.set(caller, isDone(answer) ? 'in' : answer.text)
    told.set(caller, tells === 'unseen' ? 'in' : tells)
  }
  const isLetIn = (caller: Caller) => expected.get(caller) === 'in'
  await Promise.all(callers.filter((caller) => !isLetIn(caller)).map((caller) => ask(caller, valid)))
  assert.equal(await dump(world.db), before, 'a refused request had an effect')
  const asking = callers.filter((caller) => !(isHarmful && isLetIn(caller)))
  for (const caller of asking.filter(isLetIn)) await ask(caller, harmless)
  scene.cells += callers.length - asking.length
  const wrong = asking.filter((caller) => told.get(caller) !== expected.get(caller))
  const reports = wrong.map((caller) => `${caller.name}: ${told.get(caller)}, not ${expected.get(caller)}`)
  assert.equal(reports.join('\n'), '')
}

// ---- The public API ------------------------------------------------------------------------------------------------

function works({ row, sample }: Ready, answer: Answer): boolean {
  if (sample.refusal) return answer.body?.error?.code === sample.refusal
  return answer.status === row.endpoint.status
}

function assertWorks(ready: Ready, answer: Answer): void {
  if (ready.sample.refusal) assertRefused(answer, ready.sample.refusal)
  else assert.equal(answer.status, ready.row.endpoint.status, answer.text)
}

function askedOf(ready: Ready): Asked {
  const { row, target, sample } = ready
  const search = sample.query ? `?${sample.query}` : ''
  const valid = {
    path: pathOf(row.endpoint, target) + search,
    ...(sample.body === undefined ? {} : { body: sample.body }),
  }
  const path = pathOf(row.endpoint, { id: neverExisted, actionId: neverExisted })
  const harmless = { path, ...(row.endpoint.body ? { body: '{' } : {}) }
  return { valid, harmless: row.endpoint.method === 'GET' ? valid : harmless, isDone: (answer) => works(ready, answer) }
}

/** The lowest role and the narrowest scope that grant it are enough. */
async function checkPublic(scene: Scene, row: PublicRow): Promise<void> {
  const { world } = scene
  const { endpoint } = row
  const ready = await prepare(world, row)
  await checkRow(scene, row, askedOf(ready))
  assert.ok(isRole(endpoint.needs), 'it needs no role in a Project')
  assertWorks(ready, await ready.send(world.as(endpoint.needs)))
  const again = await prepare(world, row)
  const family = familyOf(endpoint)
  const scope = {
    ...(family === 'actions' ? {} : { families: [family] }),
    verbs: [commandOf(endpoint) ? 'actions' : verbOf(endpoint)],
  }
  assertWorks(again, await again.send(await scopedClient(world, scope)))
}

// ---- What only Wolke has -------------------------------------------------------------------------------------------

/** What a caller asks of what is there in a Project is carried out. */
async function checkDone({ world, callers }: Scene, row: OwnRow, { name, project }: { name: string; project: number }) {
  const caller = callers.find((one) => one.name === name)!
  const answer = await call(world, caller, row, project, ownRequest(row, await ownPlaceIn(world, project, row)))
  assert.equal(answer.status, row.endpoint.status, answer.text)
}

const isOfProject = ({ endpoint: { needs, path } }: OwnRow) => isRole(needs) && path.includes('{project_id}')
/** What management tokens carry out. What people do to their own account has tests of its own. */
const forManagement = ownRows.filter((row) => isOfProject(row) || ['anyone', 'operator'].includes(row.endpoint.needs))
/** What the lowest role carries out, but for the end of the Project. */
const forRoles = ownRows.filter((row) => isOfProject(row) && row.name !== 'management.deleteProject')

/** Tests of the lab reset clouds and Projects. */
const replacesCloud = ({ name }: OwnRow) => name === 'lab.reset' || name === 'lab.resetProject'

async function checkOwn(scene: Scene, row: OwnRow): Promise<void> {
  const { world, projects } = scene
  const place = await ownPlaceIn(world, projects.own, row)
  const valid = ownRequest(row, place)
  const harmless = row.endpoint.method === 'GET' ? valid : ownRequest(row, nothingIn(projects.own))
  // Labs have no forks and no snapshots here, or cannot have any, and no box has files: who may look is told so.
  const isTold = row.endpoint.errors.includes('unsupported_error')
  const isDone = ({ status }: Answer) => status === row.endpoint.status || (isTold && status !== 403)
  await checkRow(scene, row, { valid, harmless, isDone, isHarmful: replacesCloud(row) })
}

forEachDatabase('every endpoint and every kind of caller', (open, engineName) => {
  test('lets in who has what its row needs, and nobody else', async () => {
    let cells = 0
    for (const { some, day } of parts) {
      const world = await open({ runActions: false, clock: testClock(day) })
      const scene = await sceneIn(world)
      await each(some, (row) => checkPublic(scene, row))
      await world.settle()
      await checkConsistency(world, { pendingToo: true })
      cells += scene.cells
    }
    assert.equal(cells, publicRows.length * kinds)
  })

  test(`does so below ${wolkeBase} and at the stream of events`, async () => {
    const world = await open({ runActions: false, lab: new LabClock(), alone: true })
    const scene = await sceneIn(world)
    // Nobody can delete the Project of the callers.
    await samples[countedPaths[0]!]!.prepare(world)
    await each(ownRows, (row) => checkOwn(scene, row))
    const listening = { path: events.endpoint.path }
    await checkRow(scene, events, { valid: listening, harmless: listening, isDone: ({ status }) => status === 200 })
    assert.equal(scene.cells, (ownRows.length + 1) * kinds)
    // Forks have tests of their own, and processes that share a database have no time of their own.
    const isPossible = (row: OwnRow) => {
      const { family, endpoint } = row
      if (family === 'faults') return !endpoint.path.includes('{name}')
      if (family !== 'lab') return true
      return (
        !/\{(id|name)\}/.test(endpoint.path) &&
        !replacesCloud(row) &&
        (endpoint.method === 'GET' || engineName === 'sqlite')
      )
    }
    await each(forManagement.filter(isPossible), async (row) =>
      checkDone(scene, row, { name: 'management token', project: await emptyProject(world) }),
    )
    const project = scene.projects.own
    await each(forRoles, (row) => checkDone(scene, row, { name: row.endpoint.needs, project }))
  })
})

test('what each endpoint needs is decided', () => {
  for (const row of rows) assert.equal(row.endpoint.needs, decidedNeed(row), operationOf(row))
  const decided = needs.map((_, line) => rows.filter((row) => decisionOf(row) === line).length)
  assert.deepEqual(
    decided,
    needs.map(([count]) => count),
  )
})
