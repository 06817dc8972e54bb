/** `wolke serve` runs one process of the API, from reading its options to its last response. */
import { setTimeout as delay } from 'node:timers/promises'
import { Command } from 'commander'
import { type App, buildApp } from '../app.ts'
import { type Config, serveOptions, toConfig } from '../config/config.ts'
import { hostsDirectory } from '../config/hosts.ts'
import { hasLab } from '../config/lab.ts'
import { dataPlaneOf } from '../config/load-balancers.ts'
import { storageOf } from '../config/storage.ts'
import type { TracesConfig } from '../config/traces.ts'
import type { Listener } from '../doctor/patient.ts'
import { type Infrastructure, openInfrastructure } from '../drivers/infrastructure.ts'
import type { StorageFacts } from '../drivers/storage/open.ts'
import { publicBase, storageUrlOf } from '../kernel/contract/bases.ts'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, fileOf, isInMemory } from '../kernel/data/dialect.ts'
import { servingPrefix } from '../kernel/data/standing.ts'
import { lostCommits } from '../kernel/data/write-ahead.ts'
import { type Clock, runningClock } from '../kernel/process/clock.ts'
import { processName } from '../kernel/process/identity.ts'
import { type Logger, openLog } from '../kernel/process/log.ts'
import { lockForServing, type ServingLock } from '../kernel/process/process-lock.ts'
import { quoted } from '../kernel/process/shell-words.ts'
import { keepYoungGeneration } from '../kernel/process/young-generation.ts'
import { noteHolder } from '../kernel/secrets/holders.ts'
import { type ClockMode, LabClock } from '../lab/clock.ts'
import type { EffectiveOption } from '../management/installation/routes.ts'
import { version } from '../version.ts'
import type { AdminChannel, ChannelOptions } from './admin-channel.ts'
import { type ConsoleLink, makeConsoleLink } from './console-link.ts'
import { explained, openMigrated, startPatience, unusable } from './database.ts'
import { effectiveOptions, keepTexts } from './effective-options.ts'
import { endWithin } from './exit.ts'
import { CommandFailure } from './failure.ts'
import { prepareInstallation } from './installation.ts'
import { keyFileOf, openKeyring, unlockSecrets } from './keyring.ts'
import { labOf, makeLabToken, plant } from './lab.ts'
import { type Listeners, type Opened, openListeners } from './listening.ts'
import { liveOf } from './live.ts'
import { metricsOf } from './metrics.ts'
import { appOptions, type OptionFiles, readOptionFiles } from './options.ts'
import { openReadyFile } from './ready-file.ts'
import type { BeginningScenario } from './scenarios.ts'
import { circumstancesOf, openedListeners, surroundingsOf } from './surroundings.ts'

/** The longest time that a stop may take, in milliseconds. */
const stopMs = 9_000

export function serveCommand(): Command {
  const command = new Command('serve').description('serve the API')
  const options = serveOptions()
  const texts = keepTexts(options)
  for (const option of options) command.addOption(option)
  return command.action((given: Config) => {
    const config = toConfig(given)
    return serve(config, effectiveOptions(command, texts, config.oidcClientSecret !== undefined))
  })
}

async function serve(config: Config, effective: readonly EffectiveOption[]): Promise<void> {
  const files = await readOptionFiles(config)
  const lock = takeLock(config)
  const running = new AsyncDisposableStack()
  try {
    await start(config, { files, lock, effective }, running)
  } catch (error) {
    await running.disposeAsync()
    lock?.abandon()
    throw explained(config.database, error)
  }
}

interface Startup {
  readonly files: OptionFiles
  readonly lock: ServingLock | undefined
  readonly effective: readonly EffectiveOption[]
}

/** Starts everything and registers in `running` how each part is stopped. */
async function start(
  config: Config,
  { files, lock, effective }: Startup,
  running: AsyncDisposableStack,
): Promise<void> {
  const log = openLog(config.logLevel)
  if (config.traces) await startTraces(config.traces, log, running)
  if (lock) refuseDamagedLog(config.database, lock.path)
  const readyFile = openReadyFile(config.readyFile)
  const assembled = await assemble(config, { files, effective, log }, running)
  const { app, db, lab, token, labToken, storage, listening, work } = assembled
  // From here on somebody may wait for an answer, so a signal no longer ends the process at once.
  const { promise: started, resolve: onStarted } = Promise.withResolvers<void>()
  stopOnSignal(log, config.drain, async () => {
    await started
    readyFile.remove()
    if (config.drain > 0) {
      app.drain()
      await delay(config.drain)
    }
    await running.disposeAsync()
    lock?.release()
  })
  const listeners = await openListeners(app, config, log, {
    secondaries: files.secondaries,
    serveMetrics: metricsOf(config, assembled, { log, running }),
  })
  const link = await makeConsoleLink(app, config, { apiUrl: listeners.api.at, log })
  listening.push(...openedListeners(listeners, storage))
  const { database } = config
  const channel = await takeCommands({ db, database, log, apiUrl: listeners.api.at, live: liveOf(app) })
  running.defer(async () => channel?.close())
  await work()
  // Written last, because a reader may stop the server at once.
  const { api, metadata, metrics, dns } = listeners
  readyFile.write({
    base_url: api.at,
    storage_url: storageUrlOf(api.at),
    storage_ssh: storage.doors.ssh,
    storage_webdav: storage.doors.webdav,
    metadata_url: metadata?.at ?? null,
    metrics_url: metrics?.at ?? null,
    dns: dns?.at ?? null,
    ...(labToken === undefined ? {} : { lab_token: labToken }),
  })
  if (lab) log.warn({ clock: lab.mode }, 'this server has a lab: whoever administers it may move its time')
  const isShared = db.dialect.shared
  if (lab && isShared) log.warn(ofOneProcess)
  keepYoungGeneration()
  if (!config.quiet)
    printWelcome(listeners, token, { link, storage, lab: lab && { mode: lab.mode, token: labToken, isShared } })
  onStarted()
}

/** Loads what traces need, which nobody else waits for. Errors: `CommandFailure` that names the variable. */
async function startTraces(config: TracesConfig, log: Logger, running: AsyncDisposableStack): Promise<void> {
  const { openTraces } = await import('../traces/open.ts')
  try {
    const traces = openTraces(config, { log, version })
    // A collector that does not answer must not keep the process.
    running.defer(async () => {
      if (!(await traces.close())) endWithin(0)
    })
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error), 2)
  }
}

/** A server that is put together: it neither listens nor works in the background yet. */
export interface Assembled {
  readonly app: App
  readonly db: Database
  readonly lab: LabClock | undefined
  /** The token of Project default, if it is new. */
  readonly token: string | undefined
  /** A management token, where the data ends with the server. */
  readonly labToken: string | undefined
  readonly storage: StorageFacts
  readonly clusters: Infrastructure['clusters']
  /** Whoever lets it listen adds where. */
  readonly listening: Listener[]
  /** Starts the work in the background. */
  work(): Promise<void>
}

interface Assembly extends Pick<Startup, 'files' | 'effective'> {
  readonly log: Logger
  /** What a database in memory begins with, as the bytes of a file. */
  readonly image?: Uint8Array
}

/** Puts a server together and registers in `running` how each part is stopped. */
export async function assemble(
  config: Config,
  { files, effective, log, image }: Assembly,
  running: AsyncDisposableStack,
): Promise<Assembled> {
  const lab = hasLab(config) ? labClock(config, files.scenario) : undefined
  const clock = lab ?? runningClock(config.now)
  const patience = startPatience(() => log.warn('the database does not answer in time; trying again for a minute'))
  const db = await openMigrated(config.database, clock, {
    postgres: {
      connectionName: `${servingPrefix}${processName}`,
      triesAgain: patience.triesAgain,
      connections: config.databaseConnections,
      connectionsPerProject: config.projectConnections,
    },
    ...(lab ? { databaseNow: () => lab.now() } : {}),
    ...(image ? { image } : {}),
  })
  running.defer(() => db.close())
  const ring = await openKeyring(db, files.keys)
  const secrets = await unlockSecrets(db, ring)
  await noteHolder(db, processName, ring)
  const token = await prepareInstallation(db, config)
  const labToken = isInMemory(config.database) ? await makeLabToken(db) : undefined
  const infrastructure = await openMachines(config, files, { clock, log })
  running.defer(() => infrastructure.close())
  const { drivers, capabilities, infrastructureOf, inMemory } = infrastructure
  const listening: Listener[] = []
  const surroundings = () => surroundingsOf(config, circumstancesOf(files, infrastructure, listening))
  const app = await buildApp({
    ...appOptions(config, files),
    surroundings,
    effective,
    db,
    clock,
    ...(lab ? { lab: labOf(config, lab, { infrastructure: inMemory, faults: files.scenario?.begin(lab.now()) }) } : {}),
    log,
    secrets,
    drivers,
    capabilities,
    infrastructureOf,
    hosts: infrastructure.clusters,
  })
  running.defer(() => app.stop())
  const work = async () => {
    const { seed } = files
    await app.start(seed === undefined ? undefined : () => plant(app, { file: config.seed ?? 'seed', text: seed, log }))
    patience.end()
  }
  const { storage, clusters } = infrastructure
  return { app, db, lab, token, labToken, storage, clusters, listening, work }
}

/** The clock of a lab, which begins where a scenario wants it to. */
function labClock({ now, clock }: Config, scenario: BeginningScenario | undefined): LabClock {
  const { notBeforeMs, mode = clock } = scenario ?? {}
  return new LabClock(notBeforeMs === undefined ? now : Math.max(notBeforeMs, now ?? Date.now()), mode)
}

/** Errors: `CommandFailure` when this machine cannot do what the options ask for. */
async function openMachines(
  config: Config,
  { catalogue: { locations }, clusters }: OptionFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Infrastructure> {
  const { actionDelay: delayMs, addressPool } = config
  const dataPlane = { ...dataPlaneOf(config), addressPool, clock, log }
  const hosts = { log, directory: hostsDirectory(config.database) }
  try {
    return await openInfrastructure({ delayMs, dataPlane, storage: storageOf(config), locations, ...clusters, hosts })
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error))
  }
}

function takeLock(config: Config): ServingLock | undefined {
  const file = fileOf(config.database)
  if (file === undefined) return undefined
  const lock = locked(config, file)
  if (!lock) {
    throw new CommandFailure(
      `another wolke serve is using ${file}; use --database postgres://... to run several over one database`,
    )
  }
  return lock
}

function locked(config: Config, file: string): ServingLock | undefined {
  try {
    return lockForServing(file, [keyFileOf(config), storageOf(config).directory])
  } catch (error) {
    throw unusable(config.database, error)
  }
}

/**
 * Refuses to start on a damaged log: SQLite would silently drop the commits behind the damage and overwrite what could
 * be saved.
 */
function refuseDamagedLog(database: DatabaseUrl, path: string): void {
  const lost = lostCommits(path)
  if (lost === 0) return
  const reason = `its log ${path}-wal is damaged, and at least ${lost} commits behind the damage would be lost`
  throw unusable(database, new Error(`${reason}; docs/operating/backups.md says how to go on`))
}

/** Opens the only way for commands to reach what is in memory. A server that cannot open it still serves the API. */
async function takeCommands(options: ChannelOptions): Promise<AdminChannel | undefined> {
  const { openAdminChannel } = await import('./admin-channel.ts')
  try {
    return await openAdminChannel(options)
  } catch (error) {
    options.log.warn({ err: error }, 'commands cannot ask this server')
    return undefined
  }
}

const ofOneProcess = 'its faults and reports are those of this process: others with the same database have their own'

interface Shown {
  readonly link: ConsoleLink
  readonly lab: LabShown | undefined
  readonly storage: StorageFacts
}

interface LabShown {
  readonly mode: ClockMode
  readonly token: string | undefined
  /** True where other processes may have the same database. */
  readonly isShared: boolean
}

function printWelcome(
  { api, metadata, metrics, dns }: Listeners,
  token: string | undefined,
  { link, lab, storage }: Shown,
): void {
  const shown = token ?? '<your token>'
  const lines = [
    `Wolke ${version} is ready.`,
    '',
    `  API        ${api.at}`,
    ...consoleLines(link),
    `  Reference  ${api.at.slice(0, -publicBase.length)}/docs`,
    `  Metadata   ${inWords(metadata)}`,
    `  DNS        ${inWords(dns)}`,
    ...(metrics ? [`  Metrics    ${metrics.at}`] : []),
    ...storageLines(storage),
    ...(token ? [`  Token      ${token}  (Project default; shown only this once)`] : []),
    ...(lab ? labLines(lab) : []),
    '',
    'hcloud and Terraform, in the shell that runs them:',
    `  export HCLOUD_ENDPOINT=${quoted(api.at)} HETZNER_ENDPOINT=${quoted(storageUrlOf(api.at))} HCLOUD_TOKEN=${quoted(shown)}`,
    'curl:',
    `  curl -H ${quoted(`Authorization: Bearer ${shown}`)} ${quoted(`${api.at}/servers`)}`,
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Where files of Storage Boxes are, and which doors lead to them. */
function storageLines({ store, doors: { ssh, webdav }, closed, warning }: StorageFacts): string[] {
  const kept = store
    ? `${store.directory}  (${store.kind}: ${store.reason})`
    : 'in a folder that is made with the first Storage Box, and goes with the server'
  const open = [ssh && `ssh ${ssh}`, webdav && `webdav ${webdav}`].filter((one) => one !== null).join(', ')
  const doors = open === '' ? `closed: ${closed}` : open
  const warnings = warning === undefined ? [] : [`             WARNING: ${warning}`]
  return [`  Storage    ${kept}`, `             doors ${doors}`, ...warnings]
}

function labLines({ mode, token, isShared }: LabShown): string[] {
  const on = `  Lab        on, its clock is ${mode}${token ? `; its token is ${token}` : ''}`
  return isShared ? [on, `             ${ofOneProcess}`] : [on]
}

function consoleLines({ url, byAddress, purpose, file }: ConsoleLink): string[] {
  const what = purpose === undefined || purpose === 'sign in' ? 'Console' : 'Set up'
  const notes = {
    'sign in': '  (signs you in, once)',
    'set up': `  (makes the first administrator${file ? `; also in ${file}` : ''})`,
    'meet admins': '  (makes whom --oidc-admins names an administrator)',
    'name admins': '  (makes nobody an administrator: start again with --oidc-admins ADDRESS)',
  }
  const others = byAddress === undefined ? [] : [`             or ${byAddress}`]
  return [`  ${what.padEnd(10)} ${url}${purpose ? notes[purpose] : ''}`, ...others]
}

function inWords(opened: Opened | undefined): string {
  if (!opened) return 'off'
  return opened.insteadOf === undefined ? opened.at : `${opened.at}  (${opened.insteadOf} is in use)`
}

/** Stops at a signal, for which `stop` takes `drainMs` longer than what it has to end. */
function stopOnSignal(log: Logger, drainMs: number, stop: () => Promise<void>): void {
  const onSignal = async (signal: string) => {
    log.info({ signal }, 'stopping')
    endWithin(drainMs + stopMs)
    await stop()
    log.flush()
  }
  let isStopping = false
  // A signal may come more than once: to the group of this process, and handed on by npm.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      onSignal(signal).catch((error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exitCode = 1
      })
    })
  }
}
