/** Kills servers while clients write: every acknowledged write survives, and no write is done in part. */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from '../../bench/processes.ts'
import { serverBody } from '../../src/families/servers/proof.ts'
import { runningClock } from '../../src/kernel/process/clock.ts'
import { checkDatabase } from '../../test/kit/consistency.ts'
import { expect } from '../../test/kit/resources.ts'
import { type Attack, atLeast, type Context, type Finding, none } from '../attack.ts'
import { client, type Installation, runningActions, until } from '../installation.ts'
import { check, checkActions, type Violations } from './check.ts'
import { Ledger, Writer } from './writer.ts'

export const crash: Attack = {
  name: 'crash',
  databases: ['sqlite', 'postgres'],
  run: async (context) => [...(await killServers(context)), ...(await copyAfterRestart(context))],
}

/** Starts as many processes over one database as its engine allows. */
async function serveAll(context: Context, installation: Installation): Promise<Running[]> {
  const count = context.database === 'sqlite' ? 1 : 3
  return Promise.all(Array.from({ length: count }, () => installation.serve()))
}

async function killServers(context: Context): Promise<Finding[]> {
  const { random, database } = context
  const installation = await context.install()
  const ledger = new Ledger()
  const found: Violations = { lost: [], stray: [] }
  const damaged: string[] = []
  const kills = context.size(2, 40)
  const servers = await serveAll(context, installation)
  const tenant = installation.tenants[0]
  const look = async (settled: boolean) => {
    const { lost, stray } = await check(client(random.pick(servers), tenant), ledger, settled)
    found.lost.push(...lost)
    found.stray.push(...stray)
  }
  for (let kill = 0; kill < kills; kill++) {
    const victim = random.below(servers.length)
    const writers = servers.flatMap((server) =>
      Array.from(
        { length: database === 'sqlite' ? 8 : 3 },
        () => new Writer(ledger, client(server, tenant), random.fork()),
      ),
    )
    const before = ledger.acknowledged
    await until('the clients are at work', () => ledger.acknowledged > before + 20)
    await delay(random.below(120))
    await servers[victim]!.kill()
    await Promise.all(writers.map((writer) => writer.stop()))
    if (installation.url.engine === 'sqlite') damaged.push(...integrity(installation.url.path))
    servers[victim] = await installation.serve()
    await look(false)
  }
  const { db, close } = await installation.open()
  await until('every action has ended', async () => (await runningActions(db)) === 0, { seconds: 120 })
  await look(true)
  const failed = await checkActions(client(random.pick(servers), tenant), ledger)
  const broken = await checkDatabase(db, runningClock(undefined)).then(
    () => [],
    (error: Error) => [error.message],
  )
  await close()
  await Promise.all(servers.map((server) => server.stop()))
  return [
    atLeast('servers are killed', kills, 'kills', kills),
    atLeast('clients write meanwhile, in every family', ledger.acknowledged, 'acknowledged writes', kills * 20),
    none('every acknowledged write is there, whole', 'lost', found.lost, context),
    none('what was not acknowledged is there wholly or not at all', 'strays', found.stray, context),
    none('every acknowledged action ends in success', 'failed actions', failed, context),
    none(
      'nothing is refused but what is locked or away, and nothing gets a 500',
      'answers',
      ledger.unexplained,
      context,
    ),
    none(
      'the database agrees with itself (invariants I1, I3, I4, I5, I10)',
      'broken invariants',
      [...damaged, ...broken],
      context,
    ),
  ]
}

function integrity(path: string): string[] {
  const file = new DatabaseSync(path)
  const { integrity_check: verdict } = file.prepare('pragma integrity_check').get() as { integrity_check: string }
  file.close()
  return verdict === 'ok' ? [] : [verdict]
}

/** Disks of servers can be copied by a process that did not create them. */
async function copyAfterRestart(context: Context): Promise<Finding[]> {
  const installation = await context.install()
  const tenant = installation.tenants[0]
  const first = await installation.serve()
  const api = client(first, tenant)
  const wanted = context.size(2, 10)
  const ids: number[] = []
  for (let i = 0; i < wanted; i++) {
    const { server, action, next_actions } = expect(await api.post('/servers', serverBody(`server-${i}`)), 201).body
    for (const { id } of [action, ...next_actions]) await ended(api, id)
    ids.push(server.id)
  }
  await first.kill()
  const second = client(await installation.serve(), tenant)
  const failed: string[] = []
  for (const id of ids) {
    expect(await second.post(`/servers/${id}/actions/enable_backup`), 201)
    for (const type of ['snapshot', 'backup']) {
      // Enabling backups is an action, and the next one has to wait for it.
      await until('the server is free', async () => (await second.get(`/servers/${id}`)).body.server.locked === false)
      const { image, action } = expect(await second.post(`/servers/${id}/actions/create_image`, { type }), 201).body
      const status = await ended(second, action.id)
      const answer = await second.get(`/images/${image.id}`)
      if (status !== 'success' || answer.body.image?.status !== 'available') {
        failed.push(`${type} of server ${id}: the action ended in ${status}, the image answers ${answer.status}`)
      }
    }
  }
  return [none('snapshots and backups work after a restart', 'failed copies', failed, context)]
}

type Api = ReturnType<typeof client>

async function ended(api: Api, id: number): Promise<string> {
  let status = 'running'
  await until(`action ${id} has ended`, async () => {
    status = (await api.get(`/actions/${id}`)).body.action.status
    return status !== 'running'
  })
  return status
}
