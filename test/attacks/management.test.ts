/** Every endpoint of the management API against every kind of caller, and every error that one declares. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Principal, refusalOf } from '../../src/kernel/access/principal.ts'
import { covers, isRole, roles } from '../../src/kernel/access/roles.ts'
import { generateToken } from '../../src/kernel/access/token-text.ts'
import { declaredCodes, type Endpoint } from '../../src/kernel/contract/contract.ts'
import { statusOf } from '../../src/kernel/errors.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { managementEndpoints } from '../../src/management/contract.ts'
import { bodies, emptyProject, errors, manager, type Place, placeIn, urlOf } from '../../src/management/proof.ts'
import { grantedFamilies } from '../../src/management/scopes.ts'
import { type Answer, type Client, forEachDatabase, type World } from '../harness.ts'
import { neverExisted } from '../proof.ts'
import { assertRefused } from '../refusals.ts'
import { each, pathOf, rows as publicRows } from '../requests.ts'
import { dump } from '../schema.ts'
import { firstProject, scopedClient } from '../scoped-clients.ts'

type Key = keyof typeof managementEndpoints
interface Managed {
  readonly name: Key
  readonly endpoint: Endpoint
}

const rows = Object.entries(managementEndpoints).map(([name, endpoint]): Managed => ({ name: name as Key, endpoint }))
/** A scope that leaves out everything here. */
const oneFamily = { families: grantedFamilies.slice(0, 1), verbs: ['read'] }
const inConsole = '/console/api'
const isRead = ({ endpoint }: Managed) => endpoint.method === 'GET'

function send(world: World, client: Client, { name, endpoint }: Managed, place: Place, door = ''): Promise<Answer> {
  const body = bodies[name]?.(place)
  return client.request(endpoint.method, urlOf(world, endpoint, place, door), body ? { body } : {})
}

function checkWorks({ endpoint }: Managed, answer: Answer): void {
  assert.equal(answer.status, endpoint.status, answer.text)
}

async function checkTokens(world: World, row: Managed, place: Place): Promise<void> {
  const { needs } = row.endpoint
  // Who belongs to a Project is for people to see.
  const isForPrograms = needs === 'anyone' || (needs === 'viewer' && row.name !== 'listMembers')
  for (const text of [undefined, generateToken('management'), 'x'.repeat(64)])
    assertRefused(await send(world, world.client(text), row, place), 'unauthorized')
  const scoped = await scopedClient(world, oneFamily)
  for (const client of [world.api, world.readOnly, world.foreign, scoped]) {
    const answer = await send(world, client, row, place)
    if (isForPrograms && (needs === 'anyone' || client === world.api || client === world.readOnly))
      checkWorks(row, answer)
    else if (client === world.readOnly && !isRead(row)) assertRefused(answer, 'token_readonly')
    else if (client === world.foreign && isRole(needs)) assertRefused(answer, 'not_found')
    else assertRefused(answer, 'forbidden')
  }
}

async function checkPeople(world: World, row: Managed, place: Place): Promise<void> {
  const { needs } = row.endpoint
  for (const role of roles) {
    const person = world.as(role)
    const isAllowed = isRole(needs) ? covers(role, needs) : needs === 'anyone'
    if (isAllowed && isRead(row)) checkWorks(row, await send(world, person, row, place, inConsole))
    if (!isAllowed) assertRefused(await send(world, person, row, place, inConsole), 'forbidden')
    if (!isRole(needs)) continue
    const elsewhere = { ...place, project: await secondProject(world) }
    assertRefused(await send(world, person, row, elsewhere, inConsole), 'not_found')
  }
}

const secondProject = async ({ db }: World) =>
  (await db.query.selectFrom('project').select('id').where('name', '=', 'second').executeTakeFirstOrThrow()).id

forEachDatabase('every endpoint of the management API', (open) => {
  test('lets in who may call it, and lets nobody else change anything', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    await scopedClient(world, oneFamily)
    const place = await placeIn(world, await firstProject(world))
    await each(rows, async (row) => {
      const before = await dump(world.db)
      await checkTokens(world, row, place)
      await checkPeople(world, row, place)
      assert.equal(await dump(world.db), before, 'a refused request had an effect')
      const other = await placeIn(world, await emptyProject(world))
      checkWorks(row, await send(world, api, row, other))
      const { needs } = row.endpoint
      if (!isRole(needs) || row.name === 'deleteProject') return
      checkWorks(row, await send(world, world.as(needs), row, await placeIn(world, place.project), inConsole))
    })
  })

  test('reaches every error that it declares, without a trace', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const place = await placeIn(world, await firstProject(world))
    const scoped = await scopedClient(world, oneFamily)
    const never = { project: neverExisted, token: neverExisted, person: neverExisted, mail: neverExisted }
    const url = (row: Managed, at = place) => urlOf(world, row.endpoint, at)
    const ways: Record<string, (row: Managed) => Promise<Answer[]>> = {
      unauthorized: async (row) => [await send(world, world.anonymous, row, place)],
      token_readonly: async (row) => [await send(world, world.readOnly, row, place)],
      forbidden: async (row) => [await send(world, scoped, row, place)],
      not_found: async (row) => {
        const { path } = row.endpoint
        const isOfOne = path.includes('{token_id}') || path.includes('{person_id}')
        const places = [never, ...(isOfOne ? [{ ...never, project: place.project }] : [])]
        return Promise.all(places.map((at) => send(world, api, row, at)))
      },
      json_error: async (row) => [await api.request(row.endpoint.method, url(row), { body: '{' })],
      invalid_input: async (row) =>
        row.endpoint.body
          ? [await api.request(row.endpoint.method, url(row), { body: { ...bodies[row.name]?.(place), surprise: 1 } })]
          : [await api.get(`${url(row)}?per_page=0`)],
    }
    // Programs need no proof of who they are; below is a test for people.
    const skipped = ['rate_limit_exceeded', 'elevation_required']
    const declared = rows.flatMap((row) =>
      [...declaredCodes(row.endpoint)]
        .filter((code) => !skipped.includes(code))
        .map((code) => ({ ...row, name: `${row.name} ${code}`, row, code })),
    )
    await each(declared, async ({ row, code }) => {
      const scenario = errors[row.name]?.[code]
      const answers = scenario ? [await scenario(world, api, place)] : await ways[code]!(row)
      assert.notEqual(answers.length, 0)
      for (const answer of answers) assertRefused(answer, code, row.endpoint.statuses?.[code] ?? statusOf(code))
    })
  })

  test('a management token is nobody to the API of Projects', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const target = { id: neverExisted, actionId: neverExisted }
    await each(publicRows, async ({ endpoint }) =>
      assertRefused(await api.request(endpoint.method, pathOf(endpoint, target)), 'unauthorized'),
    )
  })

  test('refuses what it cannot store, by field', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const place = await placeIn(world, await firstProject(world))
    const post = (path: string, body: object) => api.post(urlOf(world, { path }, place), body)
    const tokens = '/projects/{project_id}/tokens'
    const token = (more: object) => post(tokens, { name: 'a', access: 'read', ...more })
    const refused: [Promise<Answer>, string][] = [
      [post('/projects', { name: ' a' }), 'name'],
      [post('/projects', { name: 'a', owner_email: 'nobody' }), 'owner_email'],
      [token({ name: 'a\nb' }), 'name'],
      [token({ expires: 'tomorrow' }), 'expires'],
      [token({ expires: '2026-11-21T12:00:00Z' }), 'expires'],
      [token({ expires: '2027-02-30T00:00:00Z' }), 'expires'],
      [token({ expires: '2027-01-31T24:00:00Z' }), 'expires'],
      [token({ expires: '9999-12-31T23:59:59-14:00' }), 'expires'],
      [post(`${tokens}/{token_id}/rotate`, { expires: '2027-02-29T00:00:00Z' }), 'expires'],
      [token({ scope: { families: ['cars'] } }), 'scope.families'],
      [token({ scope: { families: [] } }), 'scope.families'],
      [token({ scope: { verbs: ['explode'] } }), 'scope.verbs'],
      [token({ scope: { label_selector: 'a=(' } }), 'scope.label_selector'],
      [token({ scope: { label_selector: ' ' } }), 'scope.label_selector'],
      [api.put(urlOf(world, { path: '/projects/{project_id}/limits' }, place), { limits: { cars: 1 } }), 'limits.cars'],
    ]
    for (const [pending, field] of refused) {
      const answer = await pending
      assertRefused(answer, 'invalid_input')
      assert.deepEqual(
        answer.body.error.details.fields.map(({ name }: { name: string }) => name),
        [field],
      )
    }
  })
})

describe('a person who has not proven itself lately', () => {
  const person = (elevatedUntil: number): Principal => ({
    actor: { kind: 'person', id: 1, name: 'a@example.com', session: 1 },
    roles: new Map([[1 as ProjectId, 'owner']]),
    scope: { projectId: 1 as ProjectId },
    role: 'owner',
    isOperator: true,
    elevatedUntil,
    bucket: 'session:1',
  })
  for (const { name, endpoint } of rows) {
    test(`${endpoint.elevated ? 'is refused by' : 'may call'} ${name}`, () => {
      const code = refusalOf(person(1_000), endpoint, 1_000)?.code
      assert.equal(code, endpoint.elevated ? 'elevation_required' : undefined)
      assert.equal(refusalOf(person(1_001), endpoint, 1_000), undefined)
    })
  }
})
