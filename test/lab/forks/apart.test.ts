/** What is asked of a fork or of its cloud changes nothing of the other: no table, no answer, and nothing that is kept in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { manager, placeIn } from '../../../src/management/proof.ts'
import { namedIn } from '../../../src/people/proof.ts'
import { firstProject } from '../../kit/audit-log.ts'
import { engines, forEachDatabase, type World } from '../../kit/harness.ts'
import { type Client, makeClient } from '../../kit/http/client.ts'
import { type OwnPlace, ownRequest, ownRows } from '../../kit/own-requests.ts'
import { done } from '../../kit/proof.ts'
import { own, setUp, type TestBrowser } from '../../people/kit/browser.ts'
import { disturb, everything, fill, frozen, labAt, ownTables } from '../kit.ts'

/** A cloud, as its Projects, whoever administers it, and a person reach it. */
interface Reached {
  readonly url: string
  readonly api: Client
  readonly operator: Client
  readonly browser: TestBrowser
  readonly place: OwnPlace
}

const ownUrl = (baseUrl: string, path: string) => `${new URL(baseUrl).origin}${wolkeBase}${path}`
const isRead = ({ endpoint: { method } }: (typeof ownRows)[number]) => method === 'GET'
/** Entries of each look are in the audit log, with which snapshots grow; files are encrypted anew each time, and health is that of the process. */
const unsteady = new Set([
  'audit.list',
  'audit.listAll',
  'audit.activity',
  'lab.exportSnapshot',
  'lab.listSnapshots',
  'management.getDiagnoses',
  'management.getHealth',
  'management.getStatus',
])
const reads = ownRows.filter((row) => isRead(row) && !unsteady.has(row.name))
/** A path of a snapshot that there is. */
const pathOf = (path: string) => path.replace('{name}', 'everything')

/** All that a cloud is: its tables and its infrastructure, and what it answers about all that only Wolke has. */
async function seen({ url, operator, browser, place }: Reached): Promise<Readonly<Record<string, unknown>>> {
  const tables = await everything(labAt(operator, url))
  const answers: Record<string, unknown> = {}
  for (const row of reads) {
    const { status, text } = await operator.get(ownUrl(url, pathOf(ownRequest(row, place).path)))
    answers[row.name] = [status, text]
  }
  const { status, text } = await browser.api('GET', `${own}/account`)
  const sizes = [...ownTables].map((name) => [name, tables[name]!.length])
  const audit = tables.audit!.filter((row) => !row.includes('/snapshots/'))
  return { ...tables, ...Object.fromEntries(sizes), audit, answers, account: [status, text] }
}

/** What only Wolke has and changes something: at last what ends something, and Projects after what is in them. */
const changes = ownRows
  .filter((row) => !isRead(row) && row.key !== 'deleteFork')
  .map((row) => ({ row, isEnd: row.endpoint.method === 'DELETE', length: row.endpoint.path.length }))
  .sort((a, b) => Number(a.isEnd) - Number(b.isEnd) || (a.isEnd ? b.length - a.length : 0))
  .map(({ row }) => row)

/** Asks for everything that changes something; returns how many kinds of what only Wolke has were done. */
async function changeAll({ url, api, operator, browser, place }: Reached): Promise<number> {
  await disturb(api, 7, 120)
  let count = 0
  for (const row of changes) {
    const { path, body } = ownRequest(row, place)
    const options = body === undefined ? {} : { body }
    const { status } = await operator.request(row.endpoint.method, ownUrl(url, pathOf(path)), options)
    if (status < 300) count++
  }
  await browser.api('PUT', `${own}/account`, { theme: 'dark' })
  await browser.post('/console/logout')
  await done(operator.put(ownUrl(url, '/clock'), { mode: 'frozen' }))
  return count
}

/** A cloud with something of everything, and a fork of it. */
async function twoOf(world: World): Promise<readonly [cloud: Reached, fork: Reached]> {
  const [operator, project] = [await manager(world), await firstProject(world)]
  const browser = await setUp(world)
  const place = { place: await placeIn(world, project), named: await namedIn(world, project) }
  // Resets lead to what there is then.
  await world.app.start(() => fill(world))
  const fault = { name: 'there', match: { name: 'nobody' }, fault: { error: { code: 'conflict' } } }
  await done(operator.post(ownUrl(world.baseUrl, '/faults'), fault))
  const cloud = { url: world.baseUrl, api: world.api, operator, browser, place }
  const lab = labAt(operator, world.baseUrl)
  const url = (await lab.fork()).base_url
  // Entries are written together, a little later.
  while (!(await everything(lab)).audit!.some((row) => row.includes('POST /wolke/v1/forks')));
  return [cloud, { ...cloud, url, api: makeClient(url, world.api.token), browser: browser.copy({ baseUrl: url }) }]
}

forEachDatabase(
  'A fork and its cloud',
  (open) => {
    test('change nothing of each other, whatever they are asked', async () => {
      const letters: unknown[] = []
      const mail = { send: async (letter: unknown) => void letters.push(letter) }
      const [cloud, fork] = await twoOf(await open({ lab: frozen(), alone: true, runActions: false, mail }))
      for (const [changed, other] of [
        [fork, cloud],
        [cloud, fork],
      ] as const) {
        // The first look keeps a snapshot.
        await seen(other)
        const [before, unchanged, sent] = [await seen(other), await seen(changed), letters.length]
        const count = await changeAll(changed)
        assert.ok(count > 25, `${count} of ${changes.length}`)
        assert.notDeepEqual(await seen(changed), unchanged)
        assert.deepEqual(await seen(other), before)
        assert.equal(letters.length > sent, changed === cloud, 'forks send no mail')
      }
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
