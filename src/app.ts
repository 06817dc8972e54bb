/**
 * The composition root: lets a cloud answer at an edge. The command line and the tests both build the program through it.
 */
import { Address, type MountAll } from './address.ts'
import type { Cloud, CloudOptions } from './cloud.ts'
import { elsewhere } from './elsewhere.ts'
import { families } from './families.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { publicBase, wolkeBase } from './kernel/contract/bases.ts'
import { notFound } from './kernel/errors.ts'
import { buildEdge, type Edge } from './kernel/http/http.ts'
import type { EdgeOptions, Mounting } from './kernel/http/mounting.ts'
import type { OpenPage } from './kernel/http/pages/open-pages.ts'
import type { CloudMounting, CloudParts } from './kernel/http/seats.ts'
import type { LocalCloud, OpenedFork } from './lab/forks.ts'
import type { Recorder } from './lab/report/recorder.ts'
import type { State, States } from './lab/states.ts'
import type { Own } from './own.ts'
import { rootPage } from './pages/ca.ts'
import { changesPage } from './pages/changes.ts'
import { type HealthState, healthPages } from './pages/health.ts'
import { homePage } from './pages/home.ts'
import { icon } from './pages/icon.ts'
import { referencePages } from './pages/reference.ts'
import { hostAndPort, type ListenAddress, listeningAt, listenOptions } from './protocols/net/listen-address.ts'
import { consoleSocket } from './screens/service.ts'

/** The options of a cloud and of its edge. */
export interface AppOptions
  extends CloudOptions,
    Pick<EdgeOptions, 'tls' | 'connections' | 'trustedProxies' | 'streams'> {}

export interface App {
  readonly edge: Edge
  /** The place where its clouds answer, one after the other. */
  readonly address: Address
  /** How those in the same process reach the cloud. */
  readonly local: LocalCloud
  /** The parts of the cloud that answers now. */
  readonly engine: Cloud['engine']
  readonly jobs: Cloud['jobs']
  readonly mailer: Cloud['mailer']
  readonly people: Cloud['people']
  readonly auditLog: Cloud['auditLog']
  /** The part of a status that is about this process. */
  readonly process: Own['process']
  serveMetadata: Address['serveMetadata']
  serveDns: Address['serveDns']
  /**
   * Starts running actions, sending mail and executing background jobs. A lab begins with what `prepare` has made: a reset
   * leads there.
   */
  start(prepare?: () => Promise<void>): Promise<void>
  /** Starts answering requests; returns the base URL. Errors: those of the socket. */
  listen(at: ListenAddress): Promise<string>
  /** Goes on answering, but says on the health pages that it stops, and closes connections after their next answer. */
  drain(): void
  /**
   * Stops accepting requests, finishes those in flight, and leaves actions and mail to be resumed. The database stays
   * open.
   */
  stop(): Promise<void>
}

/** Builds the app; nothing listens or runs yet. */
export async function buildApp(given: AppOptions): Promise<App> {
  const options = given.lab
    ? { ...given, lab: { recorder: await openRecorder(given, given.clock.now()), ...given.lab } }
    : given
  const lab = options.lab?.infrastructure && options.db.image ? await import('./lab/states.ts') : undefined
  const address: Address = await Address.open(options, (mounting, cloud) => mountAll(mounting, cloud, states))
  const edge = buildEdge({
    ...edgeOptions(options),
    ...address.cloud.parts,
    ...(lab ? { isChange: lab.isChange } : {}),
  })
  const open = (state: State) => fork(options, edge, state, () => states!.first)
  const states: States | undefined = lab && new lab.States(address, { open, log: options.log })
  address.take(edge.seat)
  edge.server.addHook('preClose', (done) => {
    // Nobody waits for answers that faults delay, or for a time that is far away.
    void address.cloud.letGo()
    done()
  })
  const state = { isStopping: false }
  mountPublic(edge, address.cloud.own, state)
  edge.later((mounting) => mountWolke(mounting, address.cloud, states))
  return {
    edge,
    address,
    local: localCloud(edge, states),
    get engine() {
      return address.cloud.engine
    },
    get jobs() {
      return address.cloud.jobs
    },
    get mailer() {
      return address.cloud.mailer
    },
    get people() {
      return address.cloud.people
    },
    get auditLog() {
      return address.cloud.auditLog
    },
    get process() {
      return address.cloud.own.process
    },
    serveMetadata: (at, prefix) => address.serveMetadata(at, prefix),
    serveDns: (at, dns) => address.serveDns(at, dns),
    async listen(at) {
      await edge.server.listen(listenOptions(at))
      return urlOf(options, listeningAt(edge.server.server, at))
    },
    async start(prepare) {
      await address.cloud.start()
      await prepare?.()
      options.lab?.recorder?.start()
      await states?.begin()
    },
    drain() {
      state.isStopping = true
      edge.drain()
    },
    async stop() {
      await states?.close()
      await edge.server.close()
      await address.cloud.stop()
      // The database of the first cloud belongs to who opened it.
      if (address.options.db !== options.db) await address.options.db.close()
    },
  }
}

async function openRecorder({ catalogue }: AppOptions, startedMs: number): Promise<Recorder> {
  const [{ Recorder }, { endingsIn }] = await Promise.all([
    import('./lab/report/recorder.ts'),
    import('./lab/report/endings.ts'),
  ])
  return new Recorder(startedMs, endingsIn(families, catalogue))
}

function urlOf({ tls }: AppOptions, at: ListenAddress): string {
  return `${tls ? 'https' : 'http'}://${hostAndPort(at)}${publicBase}`
}

/** Opens a cloud that begins with a state, at an address of its own. It sends no mail. */
async function fork(
  options: AppOptions,
  edge: Edge,
  state: State,
  first: () => State | undefined,
): Promise<OpenedFork> {
  const { States } = await import('./lab/states.ts')
  const { acme, ...authority } = options.authority ?? { delegation: 'unchecked' as const }
  const { install, ...lab } = options.lab!
  const recorder = await openRecorder(options, state.nowMs)
  const like = { ...options, authority, mail: {}, lab: { ...lab, recorder } }
  const mount: MountAll = (mounting, cloud) => mountAll(mounting, cloud, states)
  await using opening = new AsyncDisposableStack()
  const address: Address = opening.adopt(await Address.from(state, like, mount), (address) => address.close())
  const states = new States(address, {
    ...{ first: first(), log: options.log },
    open: (state) => fork(options, edge, state, first),
  })
  const seat = await edge.furtherSeat(async (mounting) => {
    await mount(mounting, address.cloud)
    return address.cloud.parts
  })
  opening.adopt(seat, (seat) => seat.close())
  address.take(seat)
  const port = await seat.listen({ host: '127.0.0.1', port: 0 })
  await address.cloud.start()
  opening.defer(() => states.close())
  const opened = opening.move()
  return {
    url: urlOf(options, { host: '127.0.0.1', port }),
    local: localCloud(seat, states),
    serveDns: (at) => address.serveDns(at),
    close: () => opened.disposeAsync(),
  }
}

function localCloud({ connect }: Pick<LocalCloud, 'connect'>, states: States | undefined): LocalCloud {
  return {
    connect,
    fork(id) {
      if (!states) throw notFound('fork', id)
      return states.forks.local(id)
    },
  }
}

async function mountAll(mounting: CloudMounting, cloud: Cloud, states: States | undefined): Promise<void> {
  mountPublic(mounting, cloud.own, { isStopping: false })
  await mountWolke(mounting, cloud, states)
}

/** Mounts what only Wolke has. */
async function mountWolke(mounting: Mounting, { own }: Cloud, states: States | undefined): Promise<void> {
  const { mountOwn } = await import('./own.ts')
  mountOwn(mounting, { ...own, states })
  const { platform, drivers } = own
  for (const { own: only } of families) mounting.mount(only.endpoints, only.handlers(platform, drivers), wolkeBase)
}

/** Mounts the public API, the screens of servers, and the pages that need no token. */
function mountPublic(edge: Mounting & Pick<Edge, 'accept'>, own: Own, state: HealthState): void {
  const { platform, drivers, watch, standing, log, time } = own
  const { db, clock, secrets } = platform
  for (const { endpoints, handlers, base, otherBases } of families)
    edge.mount(endpoints, handlers(platform, drivers), base, otherBases)
  edge.accept(consoleSocket({ db, drivers, secrets, log, standing }))
  const health = healthPages(watch, { hasLab: time !== undefined, state })
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
    bases: [...new Set(families.flatMap(({ base, otherBases }) => [base, ...otherBases]))],
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
  return Object.fromEntries(Object.entries(elsewhere).map(([path, titles]) => [`${publicBase}/${path}`, titles]))
}
