/** `wolke serve`: one process of the API, from its options to its last answer. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { type App, buildApp } from '../app.ts'
import { builtIn } from '../catalogue/built-in.ts'
import { type Catalogue, openCatalogue } from '../catalogue/catalogue.ts'
import { type Config, defaultDnsListen, defaultMetadataListen, serveOptions, toConfig } from '../config.ts'
import { type NameServer, type NameServerOptions, startNameServer } from '../dns/server.ts'
import { simulatedMetadata } from '../drivers/simulated/metadata.ts'
import { definePools } from '../families/addresses/pool.ts'
import { defaultZoneSettings, type ResponseRates, type ZoneSettings } from '../families/zones/settings.ts'
import { simulate } from '../families.ts'
import { createProject, findProject, listProjects } from '../kernel/access/projects.ts'
import { createToken, giveToken, TokenTaken } from '../kernel/access/tokens.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { type DatabaseUrl, fileOf, isTrouble } from '../kernel/data/dialect.ts'
import { lostCommits } from '../kernel/data/write-ahead.ts'
import { changeOwner } from '../kernel/mail/outbox.ts'
import { smtpSender } from '../kernel/mail/smtp.ts'
import { runningClock, timestamp } from '../kernel/process/clock.ts'
import { type Logger, openLog } from '../kernel/process/log.ts'
import { lockForServing, type ServingLock } from '../kernel/process/process-lock.ts'
import { buildMetadataService, listenForMetadata, type MetadataOptions } from '../metadata/service.ts'
import { version } from '../version.ts'
import { certificateDrivers } from './authority.ts'
import { explained, openMigrated, unusable } from './database.ts'
import { CommandFailure } from './failure.ts'
import { keyFileOf, openKeyring, unlockSecrets } from './keyring.ts'

/** Time that a stop may take, in milliseconds. */
const drainMs = 9_000

export function serveCommand(): Command {
  const command = new Command('serve').description('serve the API')
  for (const option of serveOptions()) command.addOption(option)
  return command.action((options: Config) => serve(toConfig(options)))
}

async function serve(config: Config): Promise<void> {
  const tls = readTls(config)
  const catalogue = await readCatalogue(config.catalogue)
  const lock = takeLock(config)
  const running = new AsyncDisposableStack()
  try {
    await start(config, { tls, catalogue, lock }, running)
  } catch (error) {
    await running.disposeAsync()
    lock?.abandon()
    throw explained(config.database, error)
  }
}

interface Found {
  readonly tls: { cert: string; key: string } | undefined
  readonly catalogue: Catalogue
  readonly lock: ServingLock | undefined
}

/** Starts everything; `running` gets what ends it. */
async function start(config: Config, { tls, catalogue, lock }: Found, running: AsyncDisposableStack): Promise<void> {
  const log = openLog(config.logLevel)
  const clock = runningClock(config.now)
  if (lock) refuseDamagedLog(config.database, lock.path)
  const db = await openMigrated(config.database, clock, {
    connections: config.databaseConnections,
    connectionsPerProject: config.projectConnections,
  })
  running.defer(() => db.close())
  const secrets = await unlockSecrets(db, await openKeyring(db, config))
  const token = await prepare(db, config)
  const simulation = simulate({ delayMs: config.actionDelay })
  const reverseDomain = config.reverseDomain ?? `${config.vendor}.example`
  const zones = zoneSettings(config, reverseDomain)
  const certificates = { db, clock, secrets, identity: reverseDomain, nameservers: zones.nameservers }
  const app = buildApp({
    db,
    clock,
    log,
    catalogue,
    drivers: { ...simulation.drivers, ...(await certificateDrivers(config, certificates)) },
    secrets,
    vendor: config.vendor,
    reverseDomain,
    zones,
    rateLimit: config.rateLimit === 'off' ? undefined : config.rateLimit,
    limits: config.limits,
    connections: { perAddress: config.connectionsPerAddress, requests: config.requestsPerConnection },
    publicOrigins: config.publicUrl,
    ...(tls ? { tls } : {}),
    ...(config.smtp ? { mail: { send: smtpSender(config.smtp, config.mailFrom!) } } : {}),
    engine: { callTimeoutMs: Math.max(60_000, config.actionDelay * 10) },
  })
  running.defer(() => app.stop())
  const baseUrl = await listen(app, config, tls !== undefined)
  const metadata = await serveMetadata(config, { db, clock, catalogue, log, driver: simulatedMetadata })
  running.defer(async () => metadata?.close())
  const dns = await serveDns(config, {
    db,
    clock,
    secrets,
    log,
    settings: zones,
    reverseDomain,
    transferTo: config.dnsTransferTo,
    responseRates: responseRates(config),
  })
  running.defer(async () => dns?.close())
  await app.engine.start()
  await app.mailer.start()
  app.chores.start()
  stopOnSignal(app, log, async () => {
    await running.disposeAsync()
    lock?.release()
  })
  // Whoever hears of it may tell it to stop at once.
  if (config.readyFile) {
    const dnsAt = dns ? hostAndPort(dns.host, dns.port) : null
    writeReadyFile(config.readyFile, { base_url: baseUrl, metadata_url: metadata?.url ?? null, dns: dnsAt })
  }
  printWelcome(baseUrl, token)
}

function readTls({ tlsCert, tlsKey }: Config): { cert: string; key: string } | undefined {
  if (!tlsCert || !tlsKey) return undefined
  return { cert: readFile('--tls-cert', tlsCert), key: readFile('--tls-key', tlsKey) }
}

function readFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandFailure(`${option}: ${(error as Error).message}`, 2)
  }
}

async function readCatalogue(path: string | undefined): Promise<Catalogue> {
  if (path === undefined) return openCatalogue(builtIn)
  const text = readFile('--catalogue', path)
  // Loaded only for those who bring their own.
  const { parseCatalogue } = await import('../catalogue/file.ts')
  try {
    return openCatalogue(parseCatalogue(JSON.parse(text)))
  } catch (error) {
    throw new CommandFailure(`--catalogue ${path}: ${(error as Error).message}`, 2)
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
    return lockForServing(file, [keyFileOf(config)])
  } catch (error) {
    throw unusable(config.database, error)
  }
}

/** SQLite would leave out what lies behind the damage, without a word, and write over what could be saved of it. */
function refuseDamagedLog(database: DatabaseUrl, path: string): void {
  const lost = lostCommits(path)
  if (lost === 0) return
  const reason = `its log ${path}-wal is damaged, and at least ${lost} commits behind the damage would be lost`
  throw unusable(database, new Error(`${reason}; docs/operating.md says how to go on`))
}

/** Creates what a first start needs and applies what the options set. Returns the token of Project default if it is new. */
async function prepare(db: Database, config: Config): Promise<string | undefined> {
  const token = await db.transact(async (tx) => {
    await definePools(tx, config.addressPool)
    const token = await prepareDefault(tx, config)
    const project = config.ownerEmail === undefined ? undefined : await findProject(tx.query, 'default')
    if (project) await changeOwner(tx, { projectId: project.id }, config.ownerEmail!)
    return token
  })
  // The lock of a Project comes before those of the transaction above (kernel/data/locks.ts).
  if (config.token !== undefined) await replaceToken(db, config.token)
  return token
}

/** Returns the token of Project default when this start makes the Project. */
async function prepareDefault(tx: Transaction, { token }: Config): Promise<string | undefined> {
  const created = timestamp(tx.now)
  const isFirst = (await listProjects(tx.query)).length === 0
  if (!isFirst && (token === undefined || (await findProject(tx.query, 'default')))) return undefined
  const { id: projectId } = await createProject(tx, 'default', created)
  const text = token ?? (await createToken(tx, { projectId, name: 'default', readOnly: false, created }))
  return isFirst ? text : undefined
}

async function replaceToken(db: Database, token: string): Promise<void> {
  try {
    await db.transact(async (tx) => {
      const project = await findProject(tx.query, 'default')
      if (!project) throw new CommandFailure('Project default was deleted while this server started; start it again')
      await giveToken(tx, { projectId: project.id }, token, timestamp(tx.now))
    })
  } catch (error) {
    if (error instanceof TokenTaken) throw new CommandFailure(`--token: ${error.message}; give another one`)
    throw error
  }
}

async function listen(app: App, { listen: { host, port } }: Config, secure: boolean): Promise<string> {
  try {
    await app.edge.server.listen({ host, port })
  } catch (error) {
    throw new CommandFailure(`cannot listen on ${host}:${port}: ${(error as Error).message}`)
  }
  const { port: actual } = app.edge.server.server.address() as { port: number }
  return `${secure ? 'https' : 'http'}://${hostAndPort(host, actual)}/v1`
}

interface RunningMetadata {
  readonly url: string
  close(): Promise<void>
}

async function serveMetadata(
  { metadataListen, metadataPrefix: prefix }: Config,
  parts: Omit<MetadataOptions, 'prefix'>,
): Promise<RunningMetadata | undefined> {
  if (metadataListen === 'off') return undefined
  const { host, port } = metadataListen
  const server = buildMetadataService({ ...parts, prefix })
  const running = (url: string): RunningMetadata => ({
    url,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  })
  try {
    return running(await listenForMetadata(server, host, port))
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (isTaken && metadataListen === defaultMetadataListen) return running(await listenForMetadata(server, host, 0))
    throw new CommandFailure(`cannot listen on ${host}:${port} for metadata: ${(error as Error).message}`)
  }
}

const hostAndPort = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`

function zoneSettings(config: Config, domain: string): ZoneSettings {
  const { nameservers, hostmaster, dnsPrivatePrimaries, zoneRecords, zoneBytes } = config
  return {
    ...defaultZoneSettings(domain),
    privatePrimaries: dnsPrivatePrimaries,
    limits: { records: zoneRecords, textBytes: zoneBytes },
    transfers: { inAll: config.dnsTransfers, perProject: config.dnsTransfersPerProject },
    ...(nameservers ? { nameservers } : {}),
    ...(hostmaster === undefined ? {} : { hostmaster }),
  }
}

function responseRates(config: Config): ResponseRates | undefined {
  const { dnsResponseRate, dnsNetworkRate: perNetwork, dnsResponseSlip: slip, dnsResponseExempt: exempt } = config
  return dnsResponseRate === 'off' ? undefined : { perAnswer: dnsResponseRate, perNetwork, slip, exempt }
}

async function serveDns({ dnsListen }: Config, parts: NameServerOptions): Promise<NameServer | undefined> {
  if (dnsListen === 'off') return undefined
  try {
    return await startNameServer(parts, dnsListen)
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (isTaken && dnsListen === defaultDnsListen) return startNameServer(parts, { ...dnsListen, port: 0 })
    // It reads which zones there are before it listens.
    if (isTrouble(error)) throw error
    const { host, port } = dnsListen
    throw new CommandFailure(`cannot listen on ${hostAndPort(host, port)} for DNS: ${(error as Error).message}`)
  }
}

/** Whoever waits for the file sees all of it or nothing. */
function writeReadyFile(path: string, urls: Record<string, string | null>): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify({ ...urls, pid: process.pid })}\n`)
  renameSync(draft, path)
}

function printWelcome(baseUrl: string, token: string | undefined): void {
  const shown = token ?? '<your token>'
  const lines = [
    `Wolke ${version} is ready.`,
    '',
    `  API        ${baseUrl}`,
    `  Reference  ${baseUrl.replace(/\/v1$/, '/docs')}`,
    ...(token ? [`  Token      ${token}  (Project default; shown only this once)`] : []),
    '',
    'hcloud and Terraform, in the shell that runs them:',
    `  export HCLOUD_ENDPOINT=${baseUrl} HCLOUD_TOKEN=${shown}`,
    'curl:',
    `  curl -H "Authorization: Bearer ${shown}" ${baseUrl}/servers`,
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function stopOnSignal(app: App, log: Logger, afterwards: () => Promise<void>): void {
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping')
    // Nothing may keep the process longer than promised, not even a caller that never finishes its request.
    setTimeout(() => process.exit(0), drainMs).unref()
    await app.stop()
    await afterwards()
    log.flush()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exitCode = 1
      })
    })
  }
}
