/** A lab as a place: a server of Wolke in this process drives its hosts, one for all tests of a file. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { currentLab, type Lab } from '../../lab/lab.ts'
import { openIncus } from '../../src/drivers/incus/open.ts'
import type { ClusterOptions } from '../../src/drivers/incus/options.ts'
import { modelled } from '../../src/drivers/modelled.ts'
import type { Database } from '../../src/kernel/data/db.ts'
import { runningClock } from '../../src/kernel/process/clock.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import type { Place } from '../conformance/place.ts'
import { Stage } from '../conformance/stage.ts'
import { clear } from '../conformance/suite.ts'
import { engines, openForSuite, type World } from '../harness.ts'
import { output } from './guests.ts'
import { openLook } from './look.ts'

export interface LabPlace extends Place {
  readonly lab: Lab
  readonly world: World
}

/** The lab that this process runs in. Errors: one that says how to start one. */
export function theLab(): Lab {
  const lab = currentLab()
  if (!lab) throw new Error('these tests run in a lab: npm run test:hosts')
  return lab
}

/** Options of a test that needs a lab. */
export const inLab = currentLab() ? {} : { skip: 'there is no lab: npm run test:hosts' }

/** How a lab is named to Wolke. */
export function clusterOf(lab: Lab): ClusterOptions {
  const read = (path: string) => readFileSync(path, 'utf8')
  const certificates = {
    clientCertificate: read(lab.incus.clientCertificate),
    clientKey: read(lab.incus.clientKey),
    serverCertificate: read(lab.incus.serverCertificate),
  }
  const { authority, certificate, key } = lab.ovn
  return {
    name: 'lab',
    incus: lab.incus.urls.map((url) => ({ url, certificates })),
    ovn: {
      remotes: [lab.ovn.northbound],
      tls: { ca: read(authority), certificate: read(certificate), key: read(key) },
    },
    uplink: lab.names.uplink,
    publicNetwork: lab.names.network,
    pool: lab.names.pool,
    instanceType: 'container',
    nameServers: [lab.outside.ipv4],
    // Servers of the tests use little of what they are promised.
    overcommit: 16,
    metadata: `${lab.metadata.host}:${lab.metadata.port}`,
  }
}

/** A clock that tests do not move: hosts have one of their own. */
const moved = (): never => {
  throw new Error('hosts have a clock of their own')
}
const hostsClock = { ...runningClock(), advance: moved, set: moved }

/** Wolke numbers what it makes from here on, so that hosts that remember earlier tests take nothing for what they removed. */
export async function numberFromNow(db: Database): Promise<void> {
  await db.transact(async ({ query }) => {
    if (db.dialect.shared) await sql`select setval('id_sequence', ${Date.now()})`.execute(query)
    else {
      await sql`insert into id_sequence (only, next) values (1, ${Date.now()})
        on conflict (only) do update set next = excluded.next`.execute(query)
    }
  })
}

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

/** What servers on hosts are made of. */
export const onHosts = { location: 'hel1', image: 'debian-12', type: 'cpx22', largerType: 'cpx32' }

/** Makes a pair of keys for SSH in a folder. */
export async function makeKey(folder: string): Promise<{ readonly file: string; readonly publicKey: string }> {
  const file = join(folder, 'key')
  await output(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file])
  return { file, publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
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
