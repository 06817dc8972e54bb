/** Looks at an installation from outside of its servers: through those that run on this machine, or in their place. */
import { readFileSync } from 'node:fs'
import { type Config, domainOf } from '../config/config.ts'
import { givenZoneSettings } from '../config/dns.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { examine } from '../doctor/examine.ts'
import { DatabaseAway, type LookedAt } from '../doctor/patient.ts'
import { families } from '../families.ts'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, fileOf } from '../kernel/data/dialect.ts'
import { openDatabase } from '../kernel/data/open.ts'
import { connectedProcesses } from '../kernel/data/standing.ts'
import { type Clock, runningClock } from '../kernel/process/clock.ts'
import { isLocked } from '../kernel/process/process-lock.ts'
import type { Keyring } from '../kernel/secrets/kek.ts'
import { settingsOf } from '../platform.ts'
import { liveServers } from './admin-channel.ts'
import { readClusters } from './clusters.ts'
import { forEachCluster } from './each-cluster.ts'
import { readKeyFiles } from './keyring.ts'
import { readCatalogue } from './options.ts'
import { surroundingsOf, wantedListeners } from './surroundings.ts'

/** Asks the servers of this user about themselves; without any, it looks at what can be seen without them. */
export async function examineFromOutside(config: Config): Promise<readonly Diagnosis[]> {
  const { database } = config
  const servers = await liveServers(database)
  if (servers.length === 0) return lookAlone(config)
  const said = await Promise.all(
    servers.map(async (one) => ({ found: await one.diagnose(), name: (await one.status()).name })),
  )
  if (said.length === 1) return said[0]!.found
  return said.flatMap(({ found, name }) => found.map((one) => ({ ...one, subject: `${name}: ${one.subject}` })))
}

async function lookAlone(config: Config): Promise<readonly Diagnosis[]> {
  const clock = runningClock(config.now)
  const opened = opening(config.database, clock)
  try {
    return await examine({
      ...surroundingsOf(config, {
        listeners: wantedListeners(config),
        doorsClosed: undefined,
        tlsCertificate: config.tlsCert === undefined ? undefined : readFileSync(config.tlsCert, 'utf8'),
        clusters: await clustersOf(config),
      }),
      ...{ isServing: false, clock, health: undefined, root: undefined },
      nameservers: settingsOf(families, domainOf(config), { zones: givenZoneSettings(config) }).zones.nameservers,
      open: opened.open,
      keys: async () => ringOf(config),
      processes: (db) => processesOf(config.database, db),
    })
  } finally {
    await opened.close()
  }
}

/** Opens a database once, whatever its schema is. */
function opening(database: DatabaseUrl, clock: Clock) {
  let opened: Promise<Database> | undefined
  const open = () =>
    openDatabase(database, { clock, create: false }).catch((cause: unknown) => {
      throw new DatabaseAway('the database cannot be opened', { cause })
    })
  return {
    open() {
      opened ??= open()
      return opened
    },
    async close() {
      // Whoever asked was told why it did not open.
      const db = await opened?.catch(() => undefined)
      await db?.close()
    },
  }
}

/** Who serves it, as far as that is seen without asking. */
async function processesOf(database: DatabaseUrl, db: Database): Promise<string[]> {
  const file = fileOf(database)
  if (file === undefined) return (await connectedProcesses(db)).map(({ name }) => name)
  return isLocked(file) ? ['a process of another user, or in another container'] : []
}

function ringOf(config: Config): Keyring | undefined {
  const { current, previous } = readKeyFiles(config)
  return current && { current, previous }
}

/** Clusters that the options name, each of which is opened to be looked at. */
async function clustersOf(config: Config): Promise<LookedAt[]> {
  if (config.infrastructure !== 'incus' && config.infrastructureFile === undefined) return []
  const [{ images }, { clusters }] = await Promise.all([readCatalogue(config.catalogue), readClusters(config)])
  return clusters.map(({ name }) => ({
    name,
    async look() {
      const found: Awaited<ReturnType<LookedAt['look']>>[number][] = []
      await forEachCluster(config, async (open, which) => {
        if (which === name) found.push(...(await (await open()).look(images)))
      })
      return found
    },
  }))
}
