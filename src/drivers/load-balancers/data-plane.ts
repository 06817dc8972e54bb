/** Chooses what carries the traffic of Load Balancers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadBalancerDriver } from '../../families/load-balancers/driver.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { addressAt, cidrSize } from '../../protocols/net/ip.ts'
import type { DataPlaneName } from './data-planes.ts'
import type { EmbeddedLog } from './embedded/embedded.ts'

export interface DataPlaneOptions {
  /** What the operator chose; undefined chooses by what this machine can do. */
  readonly name: DataPlaneName | undefined
  /** Where it keeps what it needs; undefined for a folder that goes with the process, which HAProxy does not accept. */
  readonly directory: string | undefined
  /** Added to the ports that Load Balancers listen on, of the embedded one. */
  readonly portOffset: number
  /** The networks from which Load Balancers get addresses. */
  readonly addressPool: readonly string[]
  readonly clock: Clock
  readonly log: EmbeddedLog
}

/** A driver of Load Balancers with its end. */
export interface DataPlane {
  readonly driver: LoadBalancerDriver
  close(): Promise<void>
}

/** Opens the data plane; undefined for the simulated one. Errors: one line for the operator. */
export async function openDataPlane(options: DataPlaneOptions): Promise<DataPlane | undefined> {
  const name = options.name ?? (await suggest(options.addressPool))
  if (name === 'simulated') return undefined
  if (name === 'haproxy') return await openHaproxyIn(options)
  const { directory, release } = folderFor(options.directory)
  try {
    return await openEmbeddedIn(directory, release, options)
  } catch (error) {
    release()
    throw error
  }
}

/** HAProxys run on without this process, so a folder that goes with it would leave them to nobody. */
async function openHaproxyIn({ directory, log }: DataPlaneOptions): Promise<DataPlane> {
  if (directory === undefined) {
    throw new Error(
      'Load Balancers with HAProxy outlive the server: with data in memory, name their folder by --load-balancers-directory',
    )
  }
  const { openHaproxy } = await import('./haproxy/haproxy.ts')
  const driver = await openHaproxy({ directory, log })
  return { driver, close: () => driver.close() }
}

async function openEmbeddedIn(
  directory: string,
  release: () => void,
  { log, portOffset, clock }: DataPlaneOptions,
): Promise<DataPlane> {
  const { openEmbedded } = await import('./embedded/embedded.ts')
  const driver = await openEmbedded({ directory, portOffset, clock, log })
  return {
    driver,
    async close() {
      await driver.close()
      release()
    },
  }
}

/** The embedded one where the first address of the first pool is one of this machine. */
async function suggest(pools: readonly string[]): Promise<DataPlaneName> {
  return (await ownAddress(pools)) === undefined ? 'simulated' : 'embedded'
}

/** The first address of the first pool, if it is one of this machine. */
export async function ownAddress([pool]: readonly string[]): Promise<string | undefined> {
  return pool !== undefined && (await canBind(firstOf(pool))) ? firstOf(pool) : undefined
}

/** The first address of a pool that something can have. */
const firstOf = (pool: string) => addressAt(pool, cidrSize(pool) <= 2n ? 0n : 1n)

async function canBind(host: string): Promise<boolean> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port: 0 }, resolve)
    })
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

function folderFor(directory: string | undefined): { directory: string; release: () => void } {
  if (directory !== undefined) return { directory, release: () => undefined }
  const temporary = mkdtempSync(join(tmpdir(), 'wolke-lb-'))
  return { directory: temporary, release: () => rmSync(temporary, { recursive: true, force: true }) }
}
