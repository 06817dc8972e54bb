/** The composition root: database, drivers and families become a server. Tests build exactly this. */
import type { Catalogue } from './catalogue/catalogue.ts'
import { defaultZoneSettings, type ZoneSettings } from './families/zones/settings.ts'
import { families } from './families.ts'
import { Authenticator } from './kernel/access/tokens.ts'
import type { Drivers } from './kernel/actions/define.ts'
import { Engine, type EngineOptions } from './kernel/actions/engine.ts'
import { fileAllActions, removeOldActions } from './kernel/actions/expiry.ts'
import type { Database } from './kernel/data/db.ts'
import { watchDatabase } from './kernel/data/health.ts'
import { warnOfRetries } from './kernel/data/retries.ts'
import { buildEdge, type Edge, type EdgeOptions, type Exchange } from './kernel/http/http.ts'
import { localLimiter, sharedLimiter, unlimited } from './kernel/http/rate-limit.ts'
import { removeOldMail } from './kernel/mail/deliveries.ts'
import { type Mailer, type MailerOptions, openMailer } from './kernel/mail/mailer.ts'
import type { Clock } from './kernel/process/clock.ts'
import { type Faults, noFaults } from './kernel/process/faults.ts'
import { type Chores, planChores } from './kernel/process/jobs.ts'
import type { Logger } from './kernel/process/log.ts'
import type { DefaultLimits } from './kernel/resource/limits.ts'
import type { Secrets } from './kernel/secrets/secrets.ts'
import { rootPage } from './pages/ca.ts'
import { changesPage } from './pages/changes.ts'
import { healthPages } from './pages/health.ts'
import { homePage } from './pages/home.ts'
import { referencePages } from './pages/reference.ts'
import type { Platform } from './platform.ts'
import { publicFamilies } from './public-families.ts'

export interface AppOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly catalogue: Catalogue
  readonly drivers: Drivers
  readonly secrets: Secrets
  readonly vendor: string
  readonly reverseDomain: string
  /** Requests per hour and Project; undefined means no limit. */
  readonly rateLimit: number | undefined
  readonly tls?: EdgeOptions['tls']
  readonly connections?: EdgeOptions['connections']
  readonly publicOrigins?: EdgeOptions['publicOrigins']
  readonly faults?: Faults
  readonly limits?: DefaultLimits
  /** What differs from the defaults below `reverseDomain`. */
  readonly zones?: Partial<ZoneSettings>
  readonly observe?: (exchange: Exchange) => void
  readonly mail?: Partial<Omit<MailerOptions, 'db' | 'log' | 'faults'>>
  readonly engine?: Partial<Pick<EngineOptions, 'callTimeoutMs' | 'retryMs' | 'leaseMs' | 'pollMs'>>
}

export interface App {
  readonly edge: Edge
  readonly engine: Engine
  readonly chores: Chores
  readonly mailer: Mailer
  /** Stops taking requests, answers those in flight, leaves actions and mail to be resumed. The database stays open. */
  stop(): Promise<void>
}

/** Puts the server together; it neither listens nor runs actions or chores nor sends mail yet. */
export function buildApp(options: AppOptions): App {
  const { clock, log, catalogue, drivers, secrets, rateLimit, vendor, faults = noFaults } = options
  const db = options.db.dialect.shared ? warnOfRetries(options.db, log) : options.db
  const watch = watchDatabase(db, log)
  const edge = buildEdge({
    authenticator: new Authenticator(db),
    limits: {
      projects:
        rateLimit === undefined
          ? unlimited
          : db.dialect.shared
            ? sharedLimiter(db, rateLimit)
            : localLimiter(rateLimit),
      networks: rateLimit === undefined ? unlimited : localLimiter(rateLimit),
    },
    clock,
    log,
    vendor,
    publicFamilies,
    ...(options.tls ? { tls: options.tls } : {}),
    ...(options.connections ? { connections: options.connections } : {}),
    ...(options.publicOrigins ? { publicOrigins: options.publicOrigins } : {}),
    ...(options.observe ? { observe: options.observe } : {}),
  })
  const platform: Platform = {
    db,
    clock,
    catalogue,
    faults,
    reverseDomain: options.reverseDomain,
    limits: options.limits ?? {},
    secrets,
    zones: { ...defaultZoneSettings(options.reverseDomain), ...options.zones },
  }
  const definitions = families.flatMap((family) => family.actions)
  const engine = new Engine({ db, drivers, secrets, log, definitions, faults, ...options.engine })
  const mailer = openMailer({ db, log, faults, send: undefined, ...options.mail })
  const familyChores = families.flatMap((family) => family.chores.map((chore) => () => chore(platform, drivers)))
  const chores = planChores(
    [...familyChores, () => removeOldMail(db), () => fileAllActions(db), () => removeOldActions(db, clock)],
    log,
  )
  for (const family of families) edge.mount(family.endpoints, family.handlers(platform))
  const { root } = drivers.authority
  const home = homePage({ hasRoot: root !== undefined })
  for (const page of [home, ...healthPages(watch), changesPage(clock), ...referencePages()]) edge.open(page)
  if (root) edge.open(rootPage(root))
  return {
    edge,
    engine,
    chores,
    mailer,
    async stop() {
      await edge.server.close()
      await chores.stop()
      await Promise.all([engine.stop(), mailer.stop()])
      await watch.stop()
    },
  }
}
