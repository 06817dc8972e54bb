/**
 * One cloud: a database, drivers and families, with all that works in the background. It answers at an edge, where there
 * may be several (app.ts).
 */
import { everything } from './catalogue/capabilities.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { type NameServer, type NameServerOptions, startNameServer } from './dns/server.ts'
import type { Surroundings } from './doctor/patient.ts'
import type { Resident } from './doctor/resident.ts'
import { type AuthorityOptions, authorityDrivers } from './drivers/authorities.ts'
import { families, familyOfType } from './families.ts'
import { type JobOptions, jobsFor } from './jobs.ts'
import type { Asker, Sessions } from './kernel/access/principal.ts'
import { Standing } from './kernel/access/standing.ts'
import { Authenticator, principalOfToken } from './kernel/access/tokens.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { Engine, type EngineOptions } from './kernel/actions/engine.ts'
import { audited } from './kernel/audit/audited.ts'
import { AuditLog } from './kernel/audit/log.ts'
import type { Database } from './kernel/data/db.ts'
import { watchDatabase } from './kernel/data/health.ts'
import { warnOfRetries } from './kernel/data/retries.ts'
import { traced } from './kernel/data/traced.ts'
import { type Limits, noLimits } from './kernel/http/admission/admission.ts'
import { localLimiter, sharedLimiter } from './kernel/http/admission/rate-limit.ts'
import type { Observe } from './kernel/http/api/exchange.ts'
import type { EdgeOptions } from './kernel/http/mounting.ts'
import type { CloudParts } from './kernel/http/seats.ts'
import { type Mailer, type MailerOptions, openMailer } from './kernel/mail/mailer.ts'
import type { Clock } from './kernel/process/clock.ts'
import { type Faults, noFaults } from './kernel/process/faults.ts'
import { type Jobs, planJobs } from './kernel/process/jobs.ts'
import type { Logger } from './kernel/process/log.ts'
import { tracer } from './kernel/process/tracing.ts'
import type { DefaultLimits } from './kernel/resource/limits.ts'
import type { Secrets } from './kernel/secrets/secrets.ts'
import type { Faults as InjectedFaults } from './lab/faults/open.ts'
import type { LabOptions } from './lab/options.ts'
import type { ProjectReset } from './lab/project-reset.ts'
import type { Time } from './lab/time.ts'
import type { EffectiveOption } from './management/installation/routes.ts'
import { startMetadataService } from './metadata/service.ts'
import type { Own } from './own.ts'
import { openPeople, type PeopleOptions, sessionFinder, warnOfPasskeys } from './people/open.ts'
import type { People } from './people/people.ts'
import { type GivenSettings, type Platform, settingsOf } from './platform.ts'
import { DefaultNames } from './protocols/net/default-names.ts'
import type { ListenAddress } from './protocols/net/listen-address.ts'

/** Requests per hour of a person in no Project, and of a management token. */
const callerRequests = 20_000
/** How much one person may take of what the people of a Project have together. */
const personShare = 1 / 2

/** The time for a mail server to answer when time that is moved has to end, in milliseconds. */
const mailGraceMs = 1_000

/** The options of a cloud. */
export interface CloudOptions extends JobOptions {
  readonly db: Database
  readonly clock: Clock
  /** The means of testers, for a cloud that is a lab. */
  readonly lab?: LabOptions
  readonly log: Logger
  readonly catalogue: Catalogue
  /** Drivers of the infrastructure. */
  readonly drivers: Drivers
  /** What a location can do, by its id; everything by default. */
  readonly capabilities?: Platform['capabilities']
  /** The name of what runs the machines of a location; the same for all by default. */
  readonly infrastructureOf?: Platform['infrastructureOf']
  /** The certificate authority for managed certificates; replaces the one in `drivers`. */
  readonly authority?: AuthorityOptions
  readonly secrets: Secrets
  readonly vendor: string
  readonly reverseDomain: string
  /** Default reverse names of another form than usual. */
  readonly defaultNames?: DefaultNames
  /** Requests per hour and Project; undefined means no limit. */
  readonly rateLimit: number | undefined
  readonly publicOrigins?: EdgeOptions['publicOrigins']
  readonly faults?: Faults
  readonly limits?: DefaultLimits
  readonly settings?: GivenSettings
  /** What a doctor is told of this machine and of the options; only memory is looked at without it. */
  readonly surroundings?: () => Surroundings
  /** The options of the process as operators gave them, for showing them. */
  readonly effective?: readonly EffectiveOption[]
  /** Further sessions than those of people who have signed in. */
  readonly sessions?: Sessions
  /** False for a cloud that keeps nothing of what it read for later requests: whoever keeps answers is held against it. */
  readonly keepsAnswers?: boolean
  /** How often it is asked again whether those who keep something open still may, in milliseconds; 3 s by default. */
  readonly askAgainMs?: number
  /** How people sign in. */
  readonly people?: Pick<PeopleOptions, 'oidc' | 'isOidcOnly'>
  readonly observe?: Observe
  readonly mail?: Partial<Omit<MailerOptions, 'db' | 'log' | 'faults'>>
  readonly engine?: Partial<Pick<EngineOptions, 'callTimeoutMs' | 'retryMs' | 'leaseMs' | 'pollMs' | 'durations'>>
}

/** Options of a name server that the caller may set; the others have defaults. */
export type DnsOptions = Pick<NameServerOptions, 'transferTo' | 'responseRates' | 'signatures' | 'maxRecords'>

export interface Cloud {
  readonly engine: Engine
  readonly jobs: Jobs
  readonly mailer: Mailer
  readonly people: People
  readonly auditLog: AuditLog
  /** Those that testers inject, where they may. */
  readonly faults: InjectedFaults | undefined
  /** The parts that an edge asks. */
  readonly parts: CloudParts
  /** The means of those parts that only Wolke has. */
  readonly own: Own
  /** Starts a metadata service that also answers under `prefix`; returns its URL. Errors: those of the socket. */
  serveMetadata(at: ListenAddress, prefix: string): Promise<string>
  /** Starts a name server. Errors: those of the socket, and `unavailable` when the database is away. */
  serveDns(at: ListenAddress, options?: DnsOptions): Promise<NameServer>
  /** Starts running actions, sending mail and executing background jobs. */
  start(): Promise<void>
  /** Ends what only a lab waits for: answers that faults delay, and time that is moved, also where a mail server keeps it. */
  letGo(): Promise<void>
  /** Leaves actions and mail to be resumed. The database stays open. */
  stop(): Promise<void>
}

/** Puts a cloud together; nothing runs yet. */
export async function openCloud(options: CloudOptions): Promise<Cloud> {
  const { clock, log, secrets, vendor, faults = noFaults } = options
  const plainDb = options.db.dialect.shared ? warnOfRetries(options.db, log) : options.db
  const { db: heard, observe } = await recordingOf({ ...options, db: plainDb })
  const db = audited(tracer ? traced(heard, tracer) : heard)
  const platform = platformOf(options, db)
  const plain = await driversFor(options, platform)
  const injected = await faultsFor(options, platform, plain, () => engine.isStarted && engine.wake())
  const drivers = injected?.services.disturbed(plain) ?? plain
  const watch = watchDatabase(db, log)
  const authenticator = new Authenticator(db, undefined, () => clock.now(), options.keepsAnswers)
  const people = await peopleFor(options, db, authenticator)
  const sessions = sessionsOf(people, options.sessions)
  const auditLog = new AuditLog({ db, clock, log })
  const standing = standingOf(options, db, sessions)
  const points = injected?.points ?? faults
  const engine: Engine = new Engine({
    ...{ db, drivers, secrets, log, faults: points },
    definitions: definitions(),
    ...options.engine,
  })
  const mailer = openMailer({ db, log, faults, send: undefined, ...options.mail })
  const jobs = planJobs(await jobsFor(options, { platform, drivers, people, authenticator }), { log, clock })
  const services: Service[] = []
  const time = await timeFor(options, { platform, engine, jobs, mailer, people, injected, services })
  const letGo = () => endWaits({ injected, time, mailer, people })
  const diagnose = doctorOf(options, { platform, drivers, watch })
  const process = { startedAt: clock.now(), options: options.effective ?? [], jobs, health: watch.health, diagnose }
  const access = { authenticator, sessions, standing, audit: auditLog, query: db.query }
  return {
    engine,
    jobs,
    mailer,
    people,
    auditLog,
    faults: injected,
    parts: {
      ...{ ...access, clock, limits: limitsOf(options, db) },
      ...(observe ? { observe } : {}),
      ...(injected ? { interceptor: injected.interceptor } : {}),
    },
    own: {
      ...{ platform: skipping(platform, time), drivers, people, process, log, time, faults: injected, watch, standing },
      recorder: options.lab?.recorder,
      projectReset: await projectResetOf(options, db),
      lab: options.lab,
      vendor,
    },
    ...besidesOf(options, { platform, drivers, injected, services }),
    async start() {
      await engine.start()
      await mailer.start()
      await people.mail?.start()
      // A cloud that begins with a state goes on with it, and so it does with the rhythm of its jobs.
      jobs.start({ haveRun: (options.lab?.era ?? 0) > 0 })
      await warnOfPasskeys(people)
    },
    letGo,
    async stop() {
      await auditLog.flush()
      await Promise.all([letGo(), jobs.stop()])
      await authenticator.writeUses().catch((err: unknown) => log.error({ err }, 'the use of tokens was not written'))
      await Promise.all([engine.stop(), mailer.stop(), people.mail?.stop()])
      await Promise.all(services.splice(0).map((service) => service.close()))
      await watch.stop()
    },
  }
}

interface Watched extends Pick<BesideParts, 'platform' | 'drivers'> {
  readonly watch: Own['watch']
}

/** Loaded with the first question. */
function doctorOf({ surroundings }: CloudOptions, { platform, drivers, watch }: Watched): Own['process']['diagnose'] {
  const { db, clock, secrets, settings } = platform
  const { nameservers } = settings.zones
  let resident: Promise<Resident> | undefined
  const open = async () => {
    const { Resident } = await import('./doctor/resident.ts')
    return new Resident({ db, clock, secrets, drivers, nameservers, watch, surroundings })
  }
  return async () => {
    resident ??= open()
    return (await resident).diagnose()
  }
}

interface Waited extends Pick<TimedParts, 'injected' | 'mailer' | 'people'> {
  readonly time: Time | undefined
}

async function endWaits({ injected, time, mailer, people }: Waited): Promise<void> {
  injected?.end()
  if (time) await Promise.all([time.stop(), mailer.stop(mailGraceMs), people.mail?.stop(mailGraceMs)])
}

/** The database and the observer, of which a recorder hears where there is one. */
async function recordingOf(options: CloudOptions): Promise<Pick<CloudOptions, 'db' | 'observe'>> {
  const { recorder, clock } = options.lab ?? {}
  if (!recorder || !clock) return options
  const { recorded } = await import('./lab/report/recording.ts')
  return recorded(recorder, { ...options, clock })
}

const definitions = () => families.flatMap(({ actions }) => actions)

function platformOf(options: CloudOptions, db: Database): Platform {
  const { clock, catalogue, secrets, reverseDomain, faults = noFaults, limits = {} } = options
  const { capabilities = () => everything, infrastructureOf = () => '' } = options
  const { defaultNames = new DefaultNames({ domain: reverseDomain }) } = options
  const settings = settingsOf(families, reverseDomain, options.settings ?? {})
  const places = { catalogue, capabilities, infrastructureOf }
  return { db, clock, ...places, faults, defaultNames, familyOf: familyOfType, limits, secrets, settings }
}

async function driversFor(
  { drivers, authority, clock, reverseDomain }: CloudOptions,
  { db, secrets, settings }: Platform,
): Promise<Drivers> {
  if (!authority) return drivers
  const { nameservers } = settings.zones
  const keep = (name: string, make: () => Promise<string>) => secrets.ofInstallation(db, name, make)
  return { ...drivers, ...(await authorityDrivers(authority, { clock, identity: reverseDomain, nameservers, keep })) }
}

function peopleFor(options: CloudOptions, db: Database, authenticator: Authenticator): Promise<People> {
  const { clock, log, secrets, publicOrigins = [], mail, keepsAnswers, people = {} } = options
  const parts = { db, clock, log, secrets, authenticator, publicOrigins, keepsAnswers }
  return openPeople({ ...parts, send: mail?.send, ...people })
}

/** The sessions of people who have signed in, after those that are given. */
function sessionsOf(people: People, given: CloudOptions['sessions']): Sessions {
  const own = sessionFinder(people)
  return {
    find: (headers, options) => given?.find(headers, options) ?? own.find(headers, options),
    findAgain: async (asker) => (await given?.findAgain(asker)) ?? own.findAgain(asker),
  }
}

/** Asks again for those who keep something open, by a session or by an API token that was sent itself. */
function standingOf({ clock, askAgainMs }: CloudOptions, { query }: Database, sessions: Sessions): Standing {
  const findToken = async ({ kind, id }: Asker) =>
    kind === 'token' ? principalOfToken(query, id, clock.now()) : undefined
  const findAgain = (asker: Asker) => (asker.session === null ? findToken(asker) : sessions.findAgain(asker))
  return new Standing({ query, now: clock.now, everyMs: askAgainMs, findAgain })
}

interface BesideParts {
  readonly platform: Platform
  readonly drivers: Drivers
  readonly injected: InjectedFaults | undefined
  /** Those that were started. */
  readonly services: Service[]
}

/** Returns the functions that start services beside the API. */
function besidesOf(
  { clock, log, catalogue, secrets, reverseDomain }: CloudOptions,
  { platform, drivers, injected, services }: BesideParts,
): Pick<Cloud, 'serveMetadata' | 'serveDns'> {
  const { db, defaultNames, settings } = platform
  const { delayMetadata: delay, disturbDns: disturb } = injected?.services ?? {}
  return {
    async serveMetadata(at, prefix) {
      const parts = { db, clock, catalogue, log, driver: drivers.metadata, prefix }
      const service = await startMetadataService({ ...parts, ...(delay ? { delay } : {}) }, at)
      services.push(service)
      return service.url
    },
    async serveDns(at, dns) {
      const parts = { db, clock, log, secrets, settings: settings.zones, reverseDomain, defaultNames }
      const server = await startNameServer({ ...parts, ...(disturb ? { disturb } : {}), ...dns }, at)
      services.push(server)
      return server
    },
  }
}

/** A service beside the API. */
interface Service {
  close(): Promise<void>
  /** Does what has become due, without being kept by who does not answer. */
  hurry?(silent: Set<string>): Promise<void>
}

interface TimedParts {
  readonly platform: Platform
  readonly engine: Engine
  readonly jobs: Jobs
  readonly mailer: Mailer
  readonly people: People
  readonly injected: InjectedFaults | undefined
  readonly services: readonly Service[]
}

async function timeFor(
  { lab }: CloudOptions,
  { people, injected, services, ...parts }: TimedParts,
): Promise<Time | undefined> {
  if (!lab || !injected) return undefined
  const { openTime } = await import('./lab/open.ts')
  const look = async (silent: Set<string>) => {
    for (const service of services) await service.hurry?.(silent)
  }
  return openTime({ clock: lab.clock, ...parts, personMail: people.mail, rules: injected.rules, look })
}

async function projectResetOf({ lab }: CloudOptions, db: Database): Promise<ProjectReset | undefined> {
  if (!lab?.infrastructure || !db.image) return undefined
  const { ProjectReset } = await import('./lab/project-reset.ts')
  return new ProjectReset(db, lab.infrastructure)
}

async function faultsFor(
  { lab }: CloudOptions,
  platform: Platform,
  drivers: Drivers,
  letGo: () => void,
): Promise<InjectedFaults | undefined> {
  if (!lab) return undefined
  const { openFaults } = await import('./lab/faults/open.ts')
  return openFaults(platform, drivers, { seed: lab.randomSeed ?? 'wolke', kept: lab.faults ?? [], letGo })
}

function skipping(platform: Platform, time: Time | undefined): Platform {
  return time ? { ...platform, skip: (isOver) => time.skip(isOver) } : platform
}

/** Processes that share a database share the buckets too, except for those of networks. */
function limitsOf({ rateLimit, lab }: CloudOptions, db: Database): Limits {
  const local = (most: number) => localLimiter(most, lab ? () => lab.clock.now() : undefined)
  const limited = (most: number) => (db.dialect.shared ? sharedLimiter(db, most) : local(most))
  const callers = limited(callerRequests)
  if (rateLimit === undefined) return { ...noLimits, callers }
  return {
    projects: limited(rateLimit),
    people: limited(rateLimit),
    shares: limited(Math.ceil(rateLimit * personShare)),
    callers,
    networks: local(rateLimit),
  }
}
