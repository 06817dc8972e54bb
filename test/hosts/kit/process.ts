/** Wolke as a process of its own that drives the hosts of a lab, to be killed and started again. */
import { join } from 'node:path'
import type { Lab } from '../../../lab/lab.ts'
import { families } from '../../../src/families.ts'
import { migrate } from '../../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../../src/kernel/data/open.ts'
import { runningClock } from '../../../src/kernel/process/clock.ts'
import { migrations } from '../../../src/migrations/index.ts'
import type { Place } from '../../conformance/place.ts'
import { until } from '../../kit/database/bare-database.ts'
import { makeClient } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { program, type Served, token } from '../../program/kit/program.ts'
import { hostsOptionsOf, makeKey, numberFromNow, onHosts, optionsOf } from './cluster.ts'
import { openLook } from './look.ts'

/** Nothing else listens in the namespace of a lab. */
const listen = '127.0.0.1:8080'
export const endpoint = `http://${listen}/v1`

export interface ProcessPlace extends Place {
  /** Goes away after the tests. */
  readonly folder: string
  /** Kills the process at once. */
  kill(): Promise<void>
  start(): Promise<void>
  /** The lines of what `wolke infrastructure diff` finds. */
  differences(): Promise<readonly string[]>
  /** How many actions have not ended. */
  running(): Promise<number>
}

/** Starts Wolke over a database of its own. `optionsIn` may say more to it by a folder that goes away after the tests. */
export async function openProcess(
  lab: Lab,
  optionsIn: (folder: string) => Promise<readonly string[]> = async () => [],
): Promise<ProcessPlace> {
  const { folder, serve, command } = program('deaths')
  const more = await optionsIn(folder)
  const file = join(folder, 'wolke.db')
  await prepare(file)
  const api = makeClient(endpoint, token)
  const key = await makeKey(folder)
  let served: Served
  const start = async () => {
    served = await serve(`sqlite:${file}`, ...optionsOf(lab), ...more, '--listen', listen)
  }
  await start()
  const settle = () => until(async () => (await running(api)) === 0, 'all actions have ended')
  return {
    ...onHosts,
    folder,
    api,
    publicKey: key.publicKey,
    look: await openLook(lab, api, key.file),
    settle,
    start,
    kill: () => served.kill(),
    running: () => running(api),
    async differences() {
      const options = hostsOptionsOf(lab)
      const { stdout, stderr } = await command('infrastructure', 'diff', '--database', `sqlite:${file}`, ...options)
      return (stdout + stderr).split('\n').filter(Boolean)
    },
    // A process runs its background jobs when it starts.
    async reconcile() {
      await served.kill()
      await start()
    },
  }
}

/** Makes the database before the first start, to number what is made in it from now on. */
export async function prepare(path: string): Promise<void> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: runningClock(), postgres: { connections: 1 } })
  try {
    await migrate(db, migrations)
    await numberFromNow(db)
  } finally {
    await db.close()
  }
}

const paths = families
  .filter(({ endpoints }) => 'listFamilyActions' in endpoints)
  .map(({ spelling: { path } }) => `/${path}/actions?status=running`)

/** How many actions have not ended. */
async function running(api: Place['api']): Promise<number> {
  const lists = paths.map((path) => done(api.get(path)))
  return (await Promise.all(lists)).reduce((sum, { actions }) => sum + actions.length, 0)
}
