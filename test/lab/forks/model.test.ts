/**
 * Forks and their cloud never see each other. Each is written to as the attack `crash` writes, whose families say what every
 * write of theirs brings about; then it has what it was told, and nothing else.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, checkActions } from '../../../attack/crash/check.ts'
import { Ledger } from '../../../attack/crash/ledger.ts'
import { Writer } from '../../../attack/crash/writer.ts'
import { writeKinds } from '../../../attack/crash/writes.ts'
import { Random } from '../../../attack/random.ts'
import { families } from '../../../src/families.ts'
import { manager } from '../../../src/management/proof.ts'
import { until } from '../../kit/database/bare-database.ts'
import { engines, forEachDatabase } from '../../kit/harness.ts'
import { type Client, makeClient } from '../../kit/http/client.ts'
import { unwritten } from '../../kit/requests.ts'
import { frozen, type Lab, labAt } from '../kit.ts'

interface Written {
  readonly name: string
  readonly api: Client
  readonly ledger: Ledger
  readonly lab: Lab
}

/** Names of versions of different clouds are different, so that what comes from another one is a stranger. */
const mostVersions = 1_000_000

/** Lets one writer change each cloud until its ledger has enough, all at once. */
async function write(clouds: readonly Written[], seed: string, isEnough: (ledger: Ledger) => boolean): Promise<void> {
  await Promise.all(
    clouds.map(async ({ ledger, api, name }) => {
      const writer = new Writer(ledger, api, new Random(`${seed} ${name}`), 'writer')
      await Promise.race([until(() => isEnough(ledger), `${name} is written to`), writer.done])
      await writer.stop()
    }),
  )
}

/** Asserts that a cloud has what its writer was told. */
async function assertAsTold({ name, api, ledger, lab }: Written): Promise<void> {
  // Everything is done then that is due.
  await lab.advance({ by: '0s' })
  assert.deepEqual([ledger.unexplained, await checkActions(api, ledger)], [[], []], name)
  assert.deepEqual({ ...(await check(api, ledger, true)) }, { lost: [], stray: [] }, name)
}

forEachDatabase(
  'Forks and their cloud',
  (open) => {
    test('never see each other, whatever is written to all of them at once', async () => {
      const world = await open({ lab: frozen(), alone: true, addressPool: ['10.0.0.0/8', '2001:db8::/32'] })
      const { api } = world
      const client = await manager(world)
      const lab = labAt(client, world.baseUrl)
      const before: Written = { name: 'before', api, lab, ledger: new Ledger() }
      await write([before], 'before', ({ acknowledged }) => acknowledged >= 60)
      await world.settle()
      const bases = await Promise.all(Array.from({ length: 40 }, async () => (await lab.fork()).base_url))
      const clouds = [world.baseUrl, ...bases].map((base, at): Written => {
        const ledger = before.ledger.copy((at + 1) * mostVersions)
        return { name: `cloud ${at}`, api: makeClient(base, api.token), lab: labAt(client, base), ledger }
      })
      before.ledger.counts.clear()
      const isEnough = ({ acknowledged, counts }: Ledger) => acknowledged >= 8 && counts.size === writeKinds.length
      await write(clouds, 'forks', isEnough)
      for (const cloud of clouds) await assertAsTold(cloud)
    })
  },
  engines.filter((name) => name === 'sqlite'),
)

test('What is written to forks is all that the contract has, of every family', () => {
  assert.deepEqual(unwritten(writeKinds.map(({ name }) => name)), [])
  const written = new Set(writeKinds.map(({ family }) => family))
  const changing = families.filter(({ endpoints }) =>
    Object.values(endpoints).some(({ method, removedBy }) => method !== 'GET' && !removedBy),
  )
  assert.ok(changing.length > 10)
  assert.deepEqual(
    changing.map(({ name }) => name).filter((name) => !written.has(name)),
    [],
  )
})
