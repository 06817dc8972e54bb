import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forProjects, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { assertRefused } from '../../../../test/kit/refusals.ts'
import { expect, outcomeOf, refused, tally } from '../../../../test/kit/resources.ts'
import { boxOf, makeBox, makeSubaccount, password, subaccountBody } from '../proof.ts'

const off = {
  reachable_externally: false,
  readonly: false,
  samba_enabled: false,
  ssh_enabled: false,
  webdav_enabled: false,
}

const shownOf = async ({ api }: World, box: number, id: number) =>
  (await done(api.get(`/storage_boxes/${box}/subaccounts/${id}`))).subaccount

/** The accounts of a box as they are out there, but for its own. */
const accountsOf = ({ simulation: { world } }: World, box: number) =>
  world.storageBoxes.get(box)!.state.accounts.slice(1)

forProjects('subaccounts of Storage Boxes', (open) => {
  test('one is answered with its ids alone, and has exactly the documented fields', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const box = await makeBox(world)
    const { username } = await boxOf(world, box)
    const answer = expect(await api.post(`/storage_boxes/${box}/subaccounts`, subaccountBody()), 201)
    const { subaccount, action } = answer.body
    assert.ok(!answer.text.includes(password))
    assert.deepEqual(subaccount, { id: subaccount.id, storage_box: box })
    assert.equal(action.command, 'create_subaccount')
    assert.deepEqual(action.resources, [
      { id: box, type: 'storage_box' },
      { id: subaccount.id, type: 'storage_box_subaccount' },
    ])
    await settle()
    const shown = await shownOf(world, box, subaccount.id)
    const { server } = await boxOf(world, box)
    assert.deepEqual(shown, {
      id: subaccount.id,
      storage_box: box,
      username: `${username}-sub1`,
      name: `${username}-sub1`,
      description: '',
      home_directory: 'backups',
      server: server.replace(username, `${username}-sub1`),
      access_settings: off,
      labels: {},
      created: shown.created,
    })
    assert.deepEqual((await api.get(`/storage_boxes/${box}/subaccounts`)).body, { subaccounts: [shown] })
    assert.deepEqual((await done(api.get(`/storage_boxes/${box}/folders`))).folders, ['backups'])
  })

  test('all of a box are listed at once, filtered and sorted', async () => {
    const world = await open()
    const { api, foreign } = world
    const [box, other] = [await makeBox(world), await makeBox(world)]
    const first = await makeSubaccount(world, box, { name: 'one', labels: { env: 'prod' } })
    const second = await makeSubaccount(world, box)
    const elsewhere = await makeSubaccount(world, other, { name: 'one' })
    const ids = async (query: string) =>
      (await done(api.get(`/storage_boxes/${box}/subaccounts${query}`))).subaccounts.map(({ id }: { id: number }) => id)
    const { username } = await shownOf(world, box, second)
    assert.deepEqual(await ids(''), [first, second])
    assert.deepEqual(await ids('?sort=id:desc'), [second, first])
    assert.deepEqual(await ids('?name=one'), [first])
    assert.deepEqual(await ids(`?username=${username}`), [second])
    assert.deepEqual(await ids('?label_selector=env%3Dprod'), [first])
    assertRefused(await api.get(`/storage_boxes/${box}/subaccounts?sort=name`), 'invalid_input')
    for (const client of [api, foreign]) {
      assertRefused(await client.get(`/storage_boxes/${box}/subaccounts/${elsewhere}`), 'not_found')
    }
  })

  test('its name is unique in the box, and a number is given out once', async () => {
    const world = await open()
    const { api, settle } = world
    const box = await makeBox(world)
    const path = `/storage_boxes/${box}/subaccounts`
    const first = await makeSubaccount(world, box, { name: 'one' })
    assertRefused(await api.post(path, subaccountBody({ name: 'one' })), 'uniqueness_error')
    const second = await makeSubaccount(world, box)
    assertRefused(await api.put(`${path}/${second}`, { name: 'one' }), 'uniqueness_error')
    const changed = { name: 'two', description: 'ä €', labels: { a: 'b' } }
    const { subaccount } = expect(await api.put(`${path}/${second}`, changed), 200).body
    assert.deepEqual([subaccount.name, subaccount.description, subaccount.labels], ['two', 'ä €', { a: 'b' }])
    assert.deepEqual(await shownOf(world, box, second), subaccount)
    assert.deepEqual(expect(await api.put(`${path}/${second}`, {}), 200).body.subaccount, subaccount)
    expect(await api.delete(`${path}/${second}`), 201)
    await settle()
    assertRefused(await api.get(`${path}/${second}`), 'not_found')
    const third = await shownOf(world, box, await makeSubaccount(world, box))
    assert.match(third.username, /-sub3$/)
    expect(await api.delete(`${path}/${first}`), 201)
    await settle()
    assert.deepEqual(
      accountsOf(world, box).map(({ username }) => username),
      [third.username],
    )
    assert.deepEqual((await done(api.get(`/storage_boxes/${box}/folders`))).folders, ['backups'], 'its files stay')
  })

  test('whoever has the next username as a name is in the way of nobody', async () => {
    const world = await open()
    const { api } = world
    const box = await makeBox(world)
    const { username } = await boxOf(world, box)
    const namesOf = async (id: number) => {
      const shown = await shownOf(world, box, id)
      return [shown.username, shown.name]
    }
    const squatting = await makeSubaccount(world, box, { name: `${username}-sub3` })
    assert.deepEqual(await namesOf(squatting), [`${username}-sub1`, `${username}-sub3`])
    for (const number of [2, 4]) {
      const name = `${username}-sub${number}`
      assert.deepEqual(await namesOf(await makeSubaccount(world, box)), [name, name])
    }
    const path = `/storage_boxes/${box}/subaccounts`
    expect(await api.put(`${path}/${squatting}`, { name: `${username}-sub5` }), 200)
    const given = await makeSubaccount(world, box, { name: `${username}-sub3` })
    assert.deepEqual(await namesOf(given), [`${username}-sub6`, `${username}-sub3`])
  })

  test('its name is that of one in another box, too', async () => {
    const world = await open()
    const { api } = world
    const [box, other] = [await makeBox(world), await makeBox(world)]
    await makeSubaccount(world, other, { name: 'same' })
    const id = await makeSubaccount(world, box)
    const { subaccount } = expect(await api.put(`/storage_boxes/${box}/subaccounts/${id}`, { name: 'same' }), 200).body
    assert.equal(subaccount.name, 'same')
  })

  test('its directory is within the box, and its password as good as that of the box', async () => {
    const world = await open()
    const { api } = world
    const box = await makeBox(world)
    const make = (options: object) => api.post(`/storage_boxes/${box}/subaccounts`, subaccountBody(options))
    for (const home of ['/absolute', '../out', 'a/../../b', 'ä', 'a\\b']) {
      refused(await make({ home_directory: home }), 'home_directory')
    }
    refused(await make({ home_directory: '' }), 'home_directory')
    refused(await make({ home_directory: 'x'.repeat(1_000) }), 'home_directory')
    refused(await make({ home_directory: `a/${'x'.repeat(256)}/b` }), 'home_directory')
    refused(await make({ password: 'weak' }), 'password')
    refused(await make({ access_settings: { zfs_enabled: true } }), 'access_settings.zfs_enabled')
    const deep = await makeSubaccount(world, box, {
      home_directory: 'a b/./c_d//e-f.g',
      access_settings: { readonly: true },
    })
    const shown = await shownOf(world, box, deep)
    assert.deepEqual([shown.home_directory, shown.access_settings], ['a b/./c_d//e-f.g', { ...off, readonly: true }])
    const [account] = accountsOf(world, box)
    assert.deepEqual([account!.home, account!.isReadonly, account!.hasSsh], ['a b/c_d/e-f.g', true, false])
    await makeSubaccount(world, box, { home_directory: `${'x'.repeat(255)}/`.repeat(3) })
  })

  test('directory, password and settings change by actions that name the box and the subaccount', async () => {
    const world = await open()
    const { api, settle } = world
    const box = await makeBox(world)
    const id = await makeSubaccount(world, box)
    const before = accountsOf(world, box)[0]!.passwordHash
    const act = async (name: string, body: object) => {
      const path = `/storage_boxes/${box}/subaccounts/${id}/actions/${name}`
      const { action } = expect(await api.post(path, body), 201).body
      await settle()
      assert.equal((await outcomeOf(api, action)).status, 'success')
      assert.deepEqual([action.command, action.resources.map((one: { id: number }) => one.id)], [name, [box, id]])
    }
    await act('change_home_directory', { home_directory: 'elsewhere' })
    await act('reset_subaccount_password', { password: 'Another-Box-2027!' })
    await act('update_access_settings', { ssh_enabled: true, readonly: true })
    await act('update_access_settings', { ssh_enabled: false })
    const { home_directory, access_settings } = await shownOf(world, box, id)
    assert.deepEqual([home_directory, access_settings], ['elsewhere', { ...off, readonly: true }])
    const { passwordHash: after, home } = accountsOf(world, box)[0]!
    assert.notEqual(after, before)
    assert.equal(home, 'elsewhere')
    const path = `/storage_boxes/${box}/subaccounts/${id}/actions`
    refused(await api.post(`${path}/change_home_directory`, { home_directory: '..' }), 'home_directory')
    refused(await api.post(`${path}/reset_subaccount_password`, { password: 'weak' }), 'password')
  })

  test('a change that fails is taken back', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, settle, simulation } = world
    const box = await makeBox(world)
    const id = await makeSubaccount(world, box)
    const before = await shownOf(world, box, id)
    const path = `/storage_boxes/${box}/subaccounts`
    const failing = async (send: () => ReturnType<typeof api.post>) => {
      let fails = 1
      simulation.behave(({ method }) => (method === 'apply' && fails-- > 0 ? 'error before effect' : undefined))
      const { action } = expect(await send(), 201).body
      await settle()
      simulation.behave(() => undefined)
      assert.equal((await outcomeOf(api, action)).status, 'error')
      assert.deepEqual((await done(api.get(path))).subaccounts, [before])
    }
    await failing(() => api.post(path, subaccountBody()))
    await failing(() => api.delete(`${path}/${id}`))
    await failing(() => api.post(`${path}/${id}/actions/change_home_directory`, { home_directory: 'elsewhere' }))
    await failing(() => api.post(`${path}/${id}/actions/reset_subaccount_password`, { password: 'Another-Box-2027!' }))
    await failing(() => api.post(`${path}/${id}/actions/update_access_settings`, { readonly: true }))
    await checkConsistency(world, { pendingToo: true })
  })

  test('of parallel requests one makes a subaccount, the others are locked', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const box = await makeBox(world)
    const send = () => api.post(`/storage_boxes/${box}/subaccounts`, subaccountBody())
    assert.deepEqual(tally(await Promise.all([send(), send(), send()])), { 201: 1, '423 locked': 2 })
  })

  test('several of a box change and go at the same time, one after the other; nothing happens to all of it meanwhile', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const box = await makeBox(world)
    const ids = [await makeSubaccount(world, box), await makeSubaccount(world, box), await makeSubaccount(world, box)]
    const path = `/storage_boxes/${box}/subaccounts`
    const answers = await Promise.all([
      api.delete(`${path}/${ids[0]}`),
      api.delete(`${path}/${ids[1]}`),
      api.post(`${path}/${ids[2]}/actions/update_access_settings`, { readonly: true }),
    ])
    assert.deepEqual(tally(answers), { 201: 3 })
    assertRefused(await api.delete(`${path}/${ids[0]}`), 'locked')
    assertRefused(await api.delete(`/storage_boxes/${box}`), 'locked')
    await settle()
    for (const { body } of answers) assert.equal((await outcomeOf(api, body.action)).status, 'success')
    assert.deepEqual(
      accountsOf(world, box).map(({ isReadonly }) => isReadonly),
      [true],
    )
    expect(await api.delete(`/storage_boxes/${box}`), 201)
    await settle()
    await checkConsistency(world, { pendingToo: true })
  })
})
