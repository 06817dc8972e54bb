/**
 * The composition root: lets a cloud answer at an edge. The command line and the tests both build the program through it.
 */
import { type Cloud, type CloudOptions, openCloud } from './cloud.ts'
import { families } from './families.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { publicBase } from './kernel/contract/bases.ts'
import { openDatabase } from './kernel/data/open.ts'
import type { CloudParts } from './kernel/http/further-cloud.ts'
import { buildEdge, type Edge } from './kernel/http/http.ts'
import type { EdgeOptions, Mounting } from './kernel/http/mounting.ts'
import type { OpenPage } from './kernel/http/pages/open-pages.ts'
import type { LabClock } from './lab/clock.ts'
import type { Forks, OpenedFork } from './lab/forks.ts'
import type { Own } from './own.ts'
import { rootPage } from './pages/ca.ts'
import { changesPage } from './pages/changes.ts'
import { healthPages } from './pages/health.ts'
import { homePage } from './pages/home.ts'
import { icon } from './pages/icon.ts'
import { referencePages } from './pages/reference.ts'
import { hostAndPort, type ListenAddress } from './protocols/net/listen-address.ts'
import { missing } from './public-families.ts'
import { consoleSocket } from './screens/service.ts'

/** What a cloud and its edge are made of. */
export interface AppOptions
  extends CloudOptions,
    Pick<EdgeOptions, 'tls' | 'connections' | 'trustedProxies' | 'streams'> {}

export interface App extends Omit<Cloud, 'parts' | 'own'> {
  readonly edge: Edge
  /** Starts answering requests; returns the base URL. Errors: those of the socket. */
  listen(at: ListenAddress): Promise<string>
  /**
   * Stops accepting requests, finishes those in flight, and leaves actions and mail to be resumed. The database stays
   * open.
   */
  stop(): Promise<void>
}

/** Builds the app; nothing listens or runs yet. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { parts, own, ...cloud } = await openCloud(options)
  const edge = buildEdge({ ...edgeOptions(options), ...parts })
  const forks = await forksOf(options, edge)
  mountPublic(edge, own)
  edge.later(async (part) => {
    const { mountOwn } = await import('./own.ts')
    mountOwn(part, { ...own, forks })
  })
  return {
    ...cloud,
    edge,
    async listen({ host, port }) {
      await edge.server.listen({ host, port })
      const { port: actual } = edge.server.server.address() as { port: number }
      return `${options.tls ? 'https' : 'http'}://${hostAndPort({ host, port: actual })}${publicBase}`
    },
    async stop() {
      await forks?.close()
      await edge.server.close()
      await cloud.stop()
    },
  }
}

/** The forks of a cloud that can have any; they answer at its edge. */
async function forksOf(options: AppOptions, edge: Edge): Promise<Forks | undefined> {
  if (!options.lab?.infrastructure || !options.db.image) return undefined
  const { Forks } = await import('./lab/forks.ts')
  return new Forks(options.lab.clock, (clock) => fork(options, edge, clock))
}

/** Opens a cloud that begins as another one is now, and goes its own way from then on. It sends no mail. */
async function fork(options: AppOptions, edge: Edge, clock: LabClock): Promise<OpenedFork> {
  const image = await options.db.image!()
  const infrastructure = options.lab!.infrastructure!.copy(clock)
  const memory = { engine: 'sqlite', path: ':memory:' } as const
  const db = await openDatabase(memory, { clock, databaseNow: () => clock.now(), image })
  const { drivers } = infrastructure
  const { acme, ...authority } = options.authority ?? { delegation: 'unchecked' as const }
  const forked: AppOptions = { ...options, db, clock, drivers, authority, lab: { clock, infrastructure }, mail: {} }
  const { parts, own, ...cloud } = await openCloud(forked)
  const door = edge.cloud(parts)
  const forks = await forksOf(forked, edge)
  mountPublic(door, own)
  const { mountOwn } = await import('./own.ts')
  mountOwn(door, { ...own, forks })
  const port = await door.listen({ host: '127.0.0.1', port: 0 })
  await cloud.start()
  return {
    url: `${options.tls ? 'https' : 'http'}://${hostAndPort({ host: '127.0.0.1', port })}${publicBase}`,
    serveDns: (at) => cloud.serveDns(at),
    async close() {
      await forks?.close()
      await door.close()
      await cloud.stop()
      await db.close()
    },
  }
}

/** Mounts the public API, the screens of servers, and the pages that need no token. */
function mountPublic(edge: Mounting & Pick<Edge, 'accept'>, own: Own): void {
  const { platform, drivers, watch, standing, log, time } = own
  const { db, clock, secrets } = platform
  for (const { endpoints, handlers, base } of families) edge.mount(endpoints, handlers(platform, drivers), base)
  edge.accept(consoleSocket({ db, drivers, secrets, log, standing }))
  const health = healthPages(watch, { hasLab: time !== undefined })
  servePages(edge, drivers, [...health, changesPage(clock), ...referencePages(clock)])
}

function servePages(edge: Mounting, { authority: { root } }: Drivers, pages: readonly OpenPage[]): void {
  for (const page of [homePage({ hasRoot: root !== undefined }), icon, ...pages]) edge.open(page)
  if (root) edge.open(rootPage(root))
}

function edgeOptions(options: AppOptions): Omit<EdgeOptions, keyof CloudParts> {
  const { log, vendor, tls, connections, publicOrigins, trustedProxies, streams } = options
  return {
    log,
    vendor,
    bases: [...new Set(families.map(({ base }) => base))],
    lacking: lackedFamilies(),
    ...(tls ? { tls } : {}),
    ...(connections ? { connections } : {}),
    ...(publicOrigins ? { publicOrigins } : {}),
    ...(trustedProxies ? { trustedProxies } : {}),
    ...(streams ? { streams } : {}),
  }
}

/** What is not here yet is called, by its path with its root. */
function lackedFamilies(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(missing).map(([path, titles]) => [`${publicBase}/${path}`, titles]))
}
