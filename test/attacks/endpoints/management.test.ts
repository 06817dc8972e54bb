/** Every error that an endpoint of the management API declares, and what it cannot store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { declaredCodes } from '../../../src/kernel/contract/errors.ts'
import { statusOf } from '../../../src/kernel/errors.ts'
import { managementEndpoints } from '../../../src/management/contract.ts'
import { bodies, errors, manager, placeIn, type SamplePaths, urlOf } from '../../../src/management/proof.ts'
import { grantedFamilies } from '../../../src/management/scopes.ts'
import { type Answer, type Client, forEachDatabase, type World } from '../../kit/harness.ts'
import { firstProject, scopedClient } from '../../kit/http/scoped-clients.ts'
import { neverExisted } from '../../kit/proof.ts'
import { assertRefused } from '../../kit/refusals.ts'
import { each } from '../../kit/requests.ts'

type Key = keyof typeof managementEndpoints
interface Managed {
  readonly name: Key
  readonly endpoint: Endpoint
}

const rows = Object.entries(managementEndpoints).map(([name, endpoint]): Managed => ({ name: name as Key, endpoint }))
/** A scope that leaves out everything here. */
const oneFamily = { families: grantedFamilies.slice(0, 1), verbs: ['read'] }

function send(world: World, client: Client, { name, endpoint }: Managed, place: SamplePaths): Promise<Answer> {
  const body = bodies[name]?.(place)
  return client.request(endpoint.method, urlOf(world, endpoint, place), body ? { body } : {})
}

forEachDatabase('every endpoint of the management API', (open) => {
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
