/** A lab as a place: a server of Wolke in this process drives its hosts, one for all tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { currentLab, type Lab } from '../../../lab/lab.ts'
import { openIncus } from '../../../src/drivers/hosts/open.ts'
import { modelled } from '../../../src/drivers/modelled.ts'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { createToken } from '../../../src/kernel/access/tokens.ts'
import { runningClock, timestamp } from '../../../src/kernel/process/clock.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import type { Place } from '../../conformance/place.ts'
import { Stage } from '../../conformance/stage.ts'
import { clear } from '../../conformance/suite.ts'
import { engines, openForSuite, type World } from '../../kit/harness.ts'
import { clusterOf, makeKey, numberFromNow, onHosts, theLab } from './cluster.ts'
import { type LabLook, openLook } from './look.ts'

export interface LabPlace extends Place {
  readonly lab: Lab
  readonly world: World
  readonly look: LabLook
}

/** Options of a test that needs a lab. */
export const inLab = currentLab() ? {} : { skip: 'there is no lab: npm run test:hosts' }

/** A clock that tests do not move: hosts have one of their own. */
const moved = (): never => {
  throw new Error('hosts have a clock of their own')
}
const hostsClock = { ...runningClock(), advance: moved, set: moved }

const openWorld = openForSuite(engines[0]!)
/** What ends a place after the tests of this process, once its world has ended. */
const endings = new AsyncDisposableStack()
after(() => endings.disposeAsync())
let opened: Promise<LabPlace> | undefined

/** The place of all tests of this process, which ends with them. */
export function labPlace(): Promise<LabPlace> {
  opened ??= openPlace(theLab())
  return opened
}

let projects = 0

/** The same place with a Project of its own. */
export async function placeOfProject(): Promise<LabPlace> {
  const place = await labPlace()
  const { db, client } = place.world
  const token = await db.transact(async (tx) => {
    const created = timestamp(tx.now)
    const { id: projectId } = await createProject(tx, `promise ${++projects}`, created)
    return createToken(tx, { projectId, name: 'test', readOnly: false, created })
  })
  const api = client(token)
  return { ...place, api, look: place.look.as(api) }
}

async function openPlace(lab: Lab): Promise<LabPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-hosts-'))
  endings.defer(() => rmSync(folder, { recursive: true }))
  const log = openLog(process.env.WOLKE_TEST_LOG ? 'debug' : 'silent')
  const hosts = await openIncus(clusterOf(lab), { clock: hostsClock, log, directory: undefined })
  endings.defer(() => hosts.close())
  const world = await openWorld({
    clock: hostsClock,
    drivers: { ...hosts.machines, reachability: modelled(hostsClock) },
    capabilities: () => hosts.capabilities(),
    addressPool: [`${lab.pools.ipv4.replace('.0.0/16', '.1.0')}/24`, lab.pools.ipv6],
    engine: { retryMs: 500, callTimeoutMs: 120_000 },
    log,
  })
  await numberFromNow(world.db)
  const key = await makeKey(folder)
  return {
    ...onHosts,
    lab,
    world,
    api: world.api,
    publicKey: key.publicKey,
    look: await openLook(lab, world.api, key.file),
    settle: world.settle,
    reconcile: () => world.app.jobs.run(),
  }
}

/** Declares a test in the lab, of which nothing is left that Wolke has made. */
export function onLab(promise: string, hold: (stage: Stage, place: LabPlace) => Promise<void>): void {
  test(promise, inLab, async () => {
    const place = await labPlace()
    try {
      await hold(new Stage(place), place)
    } finally {
      await clear(place)
    }
  })
}
