/** What a report tells of resources: which are left over, and what they cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../../src/families/servers/proof.ts'
import type { Report } from '../../../src/lab/report/schema.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { projectsOf } from '../projects.ts'
import { frozen, reportsOf } from './lab.ts'

forEachDatabase('A report', (open, engineName) => {
  test('tells what is left over, also of what came along', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    await newServer(world.api, 'before')
    const run = await reports.begin()
    const id = await newServer(world.api, 'within')
    await world.settle()
    const { leftovers } = await reports.of(run)
    assert.deepEqual(leftovers.map(({ type }) => type).toSorted(), ['primary_ip', 'primary_ip', 'server'])
    assert.deepEqual(leftovers.find(({ type }) => type === 'server')?.name, 'within')
    await done(world.api.delete(`/servers/${id}`))
    await world.settle()
    assert.deepEqual((await reports.of(run)).leftovers, [])
    const { cost } = await reports.of(run)
    assert.ok(cost.lines.every(({ deleted }) => deleted !== null))
  })

  test('has no resources that came to be before its run, or after its end, however few requests there were', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const plant = (name: string) =>
      done(reports.client.post(`${reports.url}/seed`, { projects: [{ name: 'first', firewalls: [{ name }] }] }))
    await plant('before')
    const run = await reports.begin()
    await plant('within')
    await reports.end(run)
    await plant('after')
    const names = ({ leftovers }: Report) => leftovers.map(({ name }) => name)
    assert.deepEqual(names(await reports.of(run)), ['within'])
    assert.deepEqual(names(await reports.whole()), ['before', 'within', 'after'])
  })

  // Time is moved, and a Project reset, on SQLite alone.
  if (engineName === 'postgres') return

  test('says that nothing is left over of a Project that was reset, and of others what is', async () => {
    const world = await open({ ...frozen(), alone: true })
    const reports = await reportsOf(world)
    const { first, reset } = await projectsOf(world)
    const run = await reports.begin()
    await newServer(world.api, 'gone')
    await newServer(world.foreign, 'there')
    assert.equal((await reset(first)).status, 204)
    await newServer(world.api, 'after')
    const { leftovers, cost } = await reports.of(run)
    assert.deepEqual(
      leftovers.flatMap(({ type, name }) => (type === 'server' ? name : [])),
      ['there', 'after'],
    )
    const servers = cost.lines.filter(({ type }) => type === 'server')
    assert.deepEqual(
      servers.map(({ name, deleted }) => [name, deleted !== null]),
      [
        ['gone', true],
        ['there', false],
        ['after', false],
      ],
    )
  })

  test('counts what a cloud costs by the hour, as a ledger', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const id = await newServer(world.api, 'dear')
    await world.settle()
    await reports.advance('90m')
    await done(world.api.post(`/servers/${id}/actions/enable_backup`))
    await world.settle()
    await done(world.api.delete(`/servers/${id}`))
    await world.settle()
    const { cost, assertions } = await reports.whole('?fail_on=cost>0.01,cost>9')
    const server = cost.lines.filter(({ type }) => type === 'server')
    assert.deepEqual(
      server.map(({ part, hours, created, deleted }) => [part, hours, created, deleted]),
      [
        [null, 2, '2026-11-28T12:00:00Z', '2026-11-28T13:30:00Z'],
        [null, 1, '2026-11-28T13:30:00Z', '2026-11-28T13:30:00Z'],
        ['backups', 1, '2026-11-28T13:30:00Z', '2026-11-28T13:30:00Z'],
      ],
    )
    assert.equal(cost.currency, 'EUR')
    assert.deepEqual(
      assertions.map(({ holds }) => holds),
      [false, true],
    )
  })
})
