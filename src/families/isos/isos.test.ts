import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forProjects, testClock } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { type Iso, openCatalogue } from '../../catalogue/catalogue.ts'
import { makeServer, serverOf } from '../servers/proof.ts'

const english = 8637
const german = 8638
const germanName = 'SW_DVD9_Win_Server_STD_CORE_2022__64Bit_German_DC_STD_MLF_X22-74292.iso'

const attach = (api: Client, id: number, iso: number | string) => api.post(`/servers/${id}/actions/attach_iso`, { iso })

function iso(id: number, more: Partial<Iso> = {}): Iso {
  return { id, name: `iso-${id}`, description: `ISO ${id}`, architecture: 'x86', deprecation: null, ...more }
}

const until = (end: string) => ({ announced: '2023-05-01T00:00:00Z', unavailable_after: end })

/** Two that end, one for any architecture, and one for arm. */
const mixed = openCatalogue({
  ...builtIn,
  isos: [
    iso(1, { deprecation: until('2026-11-20T00:00:00Z') }),
    iso(2, { deprecation: until('2026-11-22T00:00:00Z') }),
    iso(3, { architecture: null }),
    iso(4, { architecture: 'arm' }),
  ],
})

forProjects('ISOs', (open) => {
  test('the list has those of the catalogue by id, and pages', async () => {
    const { api } = await open()
    const { isos, meta } = await done(api.get('/isos?per_page=2&page=2'))
    assert.equal(meta.pagination.total_entries, 19)
    assert.deepEqual(isos[1], {
      id: german,
      name: germanName,
      description: 'Windows Server 2022 German',
      type: 'public',
      architecture: 'x86',
      deprecation: null,
    })
    assert.deepEqual((await done(api.get(`/isos/${german}`))).iso, isos[1])
    assert.equal((await api.get('/isos/7')).body.error.message, "ISO with ID '7' not found")
  })

  test('the list filters by name and architecture, and leaves out what has ended', async () => {
    const { api } = await open({ catalogue: mixed })
    const ids = async (search: string) =>
      (await done(api.get(`/isos?${search}`))).isos.map(({ id }: { id: number }) => id)
    assert.deepEqual(await ids(''), [2, 3, 4])
    assert.deepEqual(await ids('name=iso-3'), [3])
    assert.deepEqual(await ids('name=iso-9'), [])
    assert.deepEqual(await ids('architecture=arm'), [4])
    assert.deepEqual(await ids('architecture=arm&architecture=x86'), [2, 4])
    assert.deepEqual(await ids('architecture=arm&include_architecture_wildcard=true'), [3, 4])
    assert.deepEqual(await ids('include_architecture_wildcard=true'), [2, 3, 4])
    assert.equal((await api.get('/isos?architecture=mips')).body.error.code, 'invalid_input')
    assert.equal((await done(api.get('/isos/1'))).iso.deprecation.unavailable_after, '2026-11-20T00:00:00Z')
  })

  test('before 2024 an ISO had deprecated, and before October 2023 no deprecation', async () => {
    const fieldsOn = async (day: string) => {
      const { api } = await open({ catalogue: mixed, clock: testClock(day) })
      const { deprecated, ...rest } = (await done(api.get('/isos/2'))).iso
      return [deprecated, 'deprecation' in rest, 'architecture' in rest]
    }
    assert.deepEqual(await fieldsOn('2023-03-01'), ['2026-11-22T00:00:00+00:00', false, false])
    assert.deepEqual(await fieldsOn('2023-11-01'), ['2026-11-22T00:00:00+00:00', true, true])
    assert.deepEqual(await fieldsOn('2024-02-01'), [undefined, true, true])
  })

  test('a server gets an ISO by id or name, another one in its place, and none again', async () => {
    const world = await open({ runActions: false })
    const { api, simulation } = world
    const id = await makeServer(world)
    const inDrive = () => simulation.world.servers.get(id)?.state.iso
    assert.equal(inDrive(), null)
    for (const asked of [english, germanName, String(german)]) {
      const { action } = await done(attach(api, id, asked))
      assert.deepEqual([action.command, action.resources], ['attach_iso', [{ id, type: 'server' }]])
      const wanted = asked === english ? english : german
      const { iso, status } = await serverOf(api, id)
      assert.deepEqual([iso, status], [(await done(api.get(`/isos/${wanted}`))).iso, 'running'])
      await world.settle()
      assert.equal(inDrive(), wanted)
    }
    for (const _ of ['with an ISO', 'without']) {
      const { action } = await done(api.post(`/servers/${id}/actions/detach_iso`))
      assert.equal(action.command, 'detach_iso')
      await world.settle()
      assert.equal((await done(api.get(`/actions/${action.id}`))).action.status, 'success')
      assert.deepEqual([(await serverOf(api, id)).iso, inDrive()], [null, null])
    }
    assert.equal(simulation.world.servers.get(id)?.restarts, 0)
    await checkConsistency(world)
  })

  test('an ISO has to be there, fit the server and not have ended', async () => {
    const world = await open({ runActions: false, catalogue: mixed })
    const { api } = world
    const id = await makeServer(world)
    for (const [asked, message] of [
      [99, 'ISO not found'],
      ['nothing.iso', 'ISO not found'],
      [4, 'the ISO is for arm, the server is x86'],
      [1, 'the ISO is no longer available'],
    ] as const) {
      const { status, body } = await attach(api, id, asked)
      assert.deepEqual([status, body.error.details.fields], [422, [{ name: 'iso', messages: [message] }]])
    }
    assert.equal((await api.post(`/servers/${id}/actions/attach_iso`)).body.error.code, 'invalid_input')
    for (const asked of [2, 3]) {
      await done(attach(api, id, asked))
      await world.settle()
    }
    assert.equal((await serverOf(api, id)).iso.id, 3)
  })

  test('what fails for good leaves the ISO that was there before', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, simulation } = world
    const id = await makeServer(world)
    await done(attach(api, id, english))
    await world.settle()
    const fails = async (path: string, body?: object) => {
      let refusals = 1
      simulation.behave(({ subject }) => (subject === id && refusals-- > 0 ? 'error after effect' : undefined))
      const { action } = await done(api.post(`/servers/${id}/actions/${path}`, body))
      await world.settle()
      assert.equal((await done(api.get(`/actions/${action.id}`))).action.error.code, 'action_failed')
      assert.deepEqual(
        [(await serverOf(api, id)).iso.id, simulation.world.servers.get(id)?.state.iso],
        [english, english],
      )
    }
    await fails('attach_iso', { iso: german })
    await fails('detach_iso')
    await checkConsistency(world)
  })
})
