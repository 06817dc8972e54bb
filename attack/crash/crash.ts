/** Kills servers while clients write: every acknowledged write survives, and no write is done in part. */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from '../../bench/processes.ts'
import { runningClock } from '../../src/kernel/process/clock.ts'
import { brokenInvariants } from '../../test/kit/consistency.ts'
import { type Attack, atLeast, type Context, type Finding, none } from '../attack.ts'
import { client, hangingActions, type Installation, until } from '../installation.ts'
import { check, checkActions, type Violations } from './check.ts'
import { Ledger } from './ledger.ts'
import { Writer } from './writer.ts'
import { writeKinds } from './writes.ts'

export const crash: Attack = { name: 'crash', databases: ['sqlite', 'postgres'], run: killServers }

/** Starts as many processes over one database as its engine allows. */
async function serveAll(context: Context, installation: Installation): Promise<Running[]> {
  const count = context.database === 'sqlite' ? 1 : 3
  return Promise.all(Array.from({ length: count }, () => installation.serve()))
}

async function killServers(context: Context): Promise<Finding[]> {
  const { random } = context
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
    await writeUntilKilled(context, installation, { ledger, servers, victim })
    if (installation.url.engine === 'sqlite') damaged.push(...integrity(installation.url.path))
    servers[victim] = await installation.serve()
    await look(false)
  }
  const { db, close } = await installation.open()
  const hanging = await hangingActions(db)
  // The first look finds what unanswered requests did, the second one what that means for others.
  for (let looks = 0; looks < 2; looks++) await look(true)
  const failed = await checkActions(client(random.pick(servers), tenant), ledger)
  const broken = await brokenInvariants(db, runningClock(undefined))
  await close()
  await Promise.all(servers.map((server) => server.stop()))
  return [
    atLeast('servers are killed', kills, 'kills', kills),
    atLeast('clients write meanwhile', ledger.acknowledged, 'acknowledged writes', kills * 40),
    atLeast(
      'they write to every endpoint that writes, of every family',
      ledger.counts.size,
      `of ${writeKinds.length} kinds of writes`,
      context.size(20, writeKinds.length),
    ),
    none('every acknowledged write is there, whole', 'lost', found.lost, context),
    none('what was not acknowledged is there wholly or not at all', 'strays', found.stray, context),
    none('no action is left hanging', 'running', hanging, context),
    none('every acknowledged action ends in success, or as it may', 'failed actions', failed, context),
    none('nothing is refused but for what there is, and nothing gets a 500', 'answers', ledger.unexplained, context),
    none(
      'the database agrees with itself (invariants I1, I3, I4, I5, I10)',
      'broken invariants',
      [...damaged, ...broken],
      context,
    ),
  ]
}

interface Round {
  readonly ledger: Ledger
  readonly servers: readonly Running[]
  /** The index of the server that is killed. */
  readonly victim: number
}

/** Lets clients of all servers write for a while, and kills one of the servers meanwhile. */
async function writeUntilKilled(context: Context, { tenants }: Installation, { ledger, servers, victim }: Round) {
  const each = context.database === 'sqlite' ? 8 : 3
  const writers = servers.flatMap((server, at) =>
    Array.from({ length: each }, (_, i) => {
      return new Writer(ledger, client(server, tenants[0]), context.random.fork(), `${at} ${i}`)
    }),
  )
  const before = ledger.acknowledged
  const atWork = until('the clients are at work', () => ledger.acknowledged >= before + 40)
  await Promise.race([atWork, Promise.all(writers.map(({ done }) => done))])
  await delay(context.random.below(120))
  await servers[victim]!.kill()
  await Promise.all(writers.map((writer) => writer.stop()))
}

function integrity(path: string): string[] {
  const file = new DatabaseSync(path)
  const { integrity_check: verdict } = file.prepare('pragma integrity_check').get() as { integrity_check: string }
  file.close()
  return verdict === 'ok' ? [] : [verdict]
}
