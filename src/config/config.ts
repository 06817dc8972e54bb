/** Turns flags, environment variables and the configuration file into one frozen value. Nothing else in the program reads the environment. */
import { InvalidArgumentError, Option } from 'commander'
import { defaultLimits, limitedPaths } from '../families.ts'
import { type DatabaseUrl, parseDatabaseUrl } from '../kernel/data/dialect.ts'
import { defaultConnectionLimits } from '../kernel/http/server/connections.ts'
import { type LogLevel, logLevels } from '../kernel/process/log.ts'
import { type DefaultLimits, parseLimits } from '../kernel/resource/limits.ts'
import { isHostLabel, isLowerCase } from '../protocols/net/hostnames.ts'
import { parseAddress, parseCidr } from '../protocols/net/ip.ts'
import { type AcmeConfig, acmeOptions, checkAcme } from './acme.ts'
import { type AuditConfig, auditOptions } from './audit.ts'
import { absoluteName, count, type DnsConfig, defaultNamesOf, dnsOptions, reverseNameOptions } from './dns.ts'
import { checkHosts, type HostsConfig, hostsOptions, type KeepingConfig, orphanGraceOption } from './hosts.ts'
import { checkLab, type LabConfig, labOptions } from './lab.ts'
import { type ListenConfig, listen, listenOptions } from './listening.ts'
import { type LoadBalancerConfig, loadBalancerOptions } from './load-balancers.ts'
import { checkMail, type MailConfig, mailOptions } from './mail.ts'
import { passedSockets } from './passed-sockets.ts'
import { checkPeople, type PeopleConfig, peopleOptions, publicUrlOption } from './people.ts'
import { secretFrom } from './secret-files.ts'
import { type StorageConfig, storageOptions } from './storage.ts'
import { type TracesConfig, tracesOf } from './traces.ts'

/** The environment for the commands of others, to which it is handed on without being read. */
export const handedOn = (): NodeJS.ProcessEnv => process.env

/** The directory that a service manager made for sockets (RuntimeDirectory= of systemd); undefined without one. */
export const runtimeDirectory = (): string | undefined => process.env.RUNTIME_DIRECTORY || undefined

/** The secret that the environment names a file of, for an option. Errors: `InvalidArgumentError`. */
export const secretOf = (option: Option): string | undefined => secretFrom(process.env, option)

/** The options of `wolke serve`. */
export interface Config
  extends AcmeConfig,
    AuditConfig,
    DnsConfig,
    HostsConfig,
    KeepingConfig,
    LabConfig,
    ListenConfig,
    LoadBalancerConfig,
    MailConfig,
    PeopleConfig,
    StorageConfig {
  readonly database: DatabaseUrl
  /** Number of PostgreSQL connections of this process, and how many of them one Project may hold. */
  readonly databaseConnections?: number
  readonly projectConnections?: number
  readonly token?: string
  /** Requests per hour and Project, or `off`. */
  readonly rateLimit: number | typeof off
  readonly connectionsPerAddress: number
  readonly requestsPerConnection: number
  /** Networks. */
  readonly trustedProxies: readonly string[]
  /** Origins, without a path. */
  readonly publicUrl: readonly string[]
  readonly actionDelay: number
  /** Time at which the clock starts, in milliseconds since the epoch; undefined means now. */
  readonly now?: number
  readonly vendor: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly catalogue?: string
  readonly readyFile?: string
  /** The configuration file, whose values are among the others. */
  readonly config?: string
  /** The time in which a server that was asked to stop goes on answering, in milliseconds. */
  readonly drain: number
  /** True for a server that prints nothing once it is ready. */
  readonly quiet?: boolean
  readonly addressPool: readonly string[]
  readonly reverseDomain?: string
  readonly logLevel: LogLevel
  readonly limits: DefaultLimits
  readonly keyFile?: string
  readonly previousKeyFile?: string
  /** Missing where the environment asks for no traces. */
  readonly traces?: TracesConfig | undefined
}

/** Documentation ranges (RFC 5737, RFC 3849), so that no real address is assigned by accident. */
export const defaultPools = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32']

function database(text: string): DatabaseUrl {
  const url = parseDatabaseUrl(text)
  if (!url) throw new InvalidArgumentError('Expected sqlite:PATH, memory or postgres://...')
  return url
}

function token(text: string): string {
  if (!/^[\x21-\x7e]{64}$/.test(text)) throw new InvalidArgumentError('Expected exactly 64 printable characters.')
  return text
}

/** The value `off` of an option; commander would turn undefined into an empty text. */
const off = 'off'

function rateLimit(text: string): number | typeof off {
  if (text === off) return off
  const limit = Number(text)
  if (!/^\d{1,9}$/.test(text) || limit < 1) throw new InvalidArgumentError('Expected a number of requests, or off.')
  return limit
}

function milliseconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Expected a number of milliseconds.')
  return Number(text)
}

function time(text: string): number {
  const value = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(value)) throw new InvalidArgumentError('Expected an RFC 3339 time or a date, such as 2026-11-21.')
  return value
}

function vendor(text: string): string {
  if (!isHostLabel(text) || !isLowerCase(text)) throw new InvalidArgumentError('Expected a DNS label.')
  return text
}

function pools(text: string): string[] {
  return text.split(',').map((part) => {
    const parsed = parseCidr(part.trim())
    if (!parsed.ok) throw new InvalidArgumentError(`${part.trim()}: ${parsed.message}.`)
    if (parsed.family === 6 && parsed.prefixLength > 64)
      throw new InvalidArgumentError(`${part}: must be /64 or larger.`)
    return parsed.cidr
  })
}

/** Networks, or single addresses. */
function networks(text: string): string[] {
  return text.split(',').map((part) => {
    const name = part.trim()
    const found = parseAddress(name)
    const parsed = found.ok ? undefined : parseCidr(name)
    if (parsed && !parsed.ok) throw new InvalidArgumentError(`${name}: ${parsed.message}.`)
    return name
  })
}

function limits(text: string): DefaultLimits {
  const parsed = parseLimits(text, limitedPaths)
  if (typeof parsed === 'string') throw new InvalidArgumentError(`${parsed}.`)
  const given = Object.entries(parsed).filter(([, most]) => most !== undefined)
  const limits = Object.entries({ ...defaultLimits, ...Object.fromEntries(given) })
  return Object.fromEntries(limits.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
}

/** The option for the configuration file. An empty path is none, so that one of the environment can be left out. */
export function configOption(): Option {
  return new Option(
    '--config <file>',
    'YAML with options by their names; the command line and the environment come before it',
  ).env('WOLKE_CONFIG')
}

/** The database option, shared by every command. */
export function databaseOption(
  meaning = 'where the data lives: sqlite:PATH, memory, postgres://USER@HOST/NAME',
): Option {
  return new Option('--database <url>', meaning)
    .env('WOLKE_DATABASE')
    .argParser(database)
    .default(parseDatabaseUrl('sqlite:data/wolke.db'), 'sqlite:data/wolke.db')
}

/** The data an administrative command works on: a database, or the memory of a running server. */
export type Administered = DatabaseUrl | RunningServer

/** The only server on this machine that keeps its data in memory, or the one whose API listens on `port`. */
export interface RunningServer {
  readonly engine: 'running server'
  readonly port: number | undefined
}

function administered(text: string): Administered {
  const memory = /^memory(?::(\d{1,5}))?$/.exec(text)
  return memory ? { engine: 'running server', port: memory[1] ? Number(memory[1]) : undefined } : database(text)
}

/** The database option of administrative commands. */
export function administeredOption(): Option {
  const meaning = 'where the data lives: sqlite:PATH, postgres://..., or memory[:PORT] of a running server'
  return databaseOption(meaning).argParser(administered)
}

/** The option for the key that encrypts the secrets in the database. */
export function keyFileOption(): Option {
  return new Option(
    '--key-file <file>',
    'key that encrypts the secrets in the database (default: PATH.key beside sqlite:PATH, else data/wolke.key)',
  ).env('WOLKE_KEY_FILE')
}

/** The option for the key that the current key replaces. */
export function previousKeyFileOption(): Option {
  return new Option('--previous-key-file <file>', 'previous key, needed until wolke secrets rotate has run').env(
    'WOLKE_PREVIOUS_KEY_FILE',
  )
}

/** They say where the data lives. */
function databaseOptions(): Option[] {
  return [
    databaseOption(),
    new Option('--database-connections <n>', 'connections of this process to PostgreSQL (default: 30)')
      .env('WOLKE_DATABASE_CONNECTIONS')
      .argParser(count),
    new Option('--project-connections <n>', 'how many of them one Project may hold (default: four for each processor)')
      .env('WOLKE_PROJECT_CONNECTIONS')
      .argParser(count),
  ]
}

/** They say what callers may do. */
function callerOptions(): Option[] {
  return [
    new Option(
      '--token <token>',
      'the read-write token of Project default, 64 characters; replaces the one set at an earlier start',
    )
      .env('WOLKE_TOKEN')
      .argParser(token),
    new Option('--rate-limit <n|off>', 'requests per hour and Project')
      .env('WOLKE_RATE_LIMIT')
      .argParser(rateLimit)
      .default(3600),
    new Option('--trusted-proxies <net,...>', 'networks of proxies that are believed when they say for whom they ask')
      .env('WOLKE_TRUSTED_PROXIES')
      .argParser(networks)
      .default([], 'none'),
    new Option('--connections-per-address <n>', 'open connections per client address (IPv6: per /64)')
      .env('WOLKE_CONNECTIONS_PER_ADDRESS')
      .argParser(count)
      .default(defaultConnectionLimits.perAddress),
    new Option('--requests-per-connection <n>', 'requests after which a connection is closed')
      .env('WOLKE_REQUESTS_PER_CONNECTION')
      .argParser(count)
      .default(defaultConnectionLimits.requests),
  ]
}

/** They say what the installation is, and what it has. */
function installationOptions(): Option[] {
  return [
    new Option('--now <time>', 'time at which the clock starts').env('WOLKE_NOW').argParser(time),
    new Option('--vendor <name>', 'reserves the label prefix NAME.cloud/')
      .env('WOLKE_VENDOR')
      .argParser(vendor)
      .default('wolke'),
    new Option('--tls-cert <file>', 'certificate chain (PEM): serve HTTPS').env('WOLKE_TLS_CERT'),
    new Option('--tls-key <file>', 'private key (PEM) of the certificate').env('WOLKE_TLS_KEY'),
    new Option('--catalogue <file>', 'JSON that replaces or extends the built-in catalogue').env('WOLKE_CATALOGUE'),
    new Option('--address-pool <cidr,...>', 'networks from which public addresses are assigned')
      .env('WOLKE_ADDRESS_POOL')
      .argParser(pools)
      .default(defaultPools, 'the documentation ranges'),
    new Option('--reverse-domain <domain>', 'domain of default reverse names (default: VENDOR.example)')
      .env('WOLKE_REVERSE_DOMAIN')
      .argParser((text) => absoluteName(text).slice(0, -1)),
  ]
}

/** The maximum of each kind of resource. */
function limitsOption(): Option {
  const shown = Object.entries(defaultLimits).map(([kind, most]) => `${kind}=${most}`)
  return new Option('--limits <kind=n,...>', 'maximum resources per Project, such as servers=10,firewalls=50')
    .env('WOLKE_LIMITS')
    .argParser(limits)
    .default(defaultLimits, shown.join(','))
}

/** The options of `wolke serve`. */
export function serveOptions(): Option[] {
  return [
    configOption(),
    ...listenOptions(),
    ...databaseOptions(),
    ...dnsOptions(),
    ...callerOptions(),
    publicUrlOption(),
    ...peopleOptions(),
    new Option('--action-delay <ms>', 'how long the simulated infrastructure takes for one step')
      .env('WOLKE_ACTION_DELAY')
      .argParser(milliseconds)
      .default(0),
    ...hostsOptions(),
    orphanGraceOption(),
    ...loadBalancerOptions(),
    ...storageOptions(listen),
    ...installationOptions(),
    ...reverseNameOptions(),
    limitsOption(),
    ...labOptions(),
    ...acmeOptions(),
    ...auditOptions(),
    keyFileOption(),
    previousKeyFileOption(),
    ...mailOptions(),
    new Option(
      '--ready-file <file>',
      'JSON with base_url, storage_url, storage_ssh, storage_webdav, metadata_url, metrics_url, dns and pid; exists while the server is ready',
    ).env('WOLKE_READY_FILE'),
    new Option('--drain <ms>', 'how long it goes on answering once it is asked to stop, as unhealthy')
      .env('WOLKE_DRAIN')
      .argParser(milliseconds)
      .default(0),
    new Option(
      '--quiet',
      'print nothing when it is ready: no addresses, and no first token and link, which a log shall not have',
    ).env('WOLKE_QUIET'),
    new Option('--log-level <level>', 'lowest level that is logged, as JSON on standard error')
      .env('WOLKE_LOG_LEVEL')
      .choices(logLevels)
      .default('info'),
  ]
}

/** The domain of the installation. */
export function domainOf({ reverseDomain, vendor }: Pick<Config, 'reverseDomain' | 'vendor'>): string {
  return reverseDomain ?? `${vendor}.example`
}

/** Rules that options must keep together. Errors of each: `InvalidArgumentError` with a message of one line for the operator. */
const checks: readonly ((options: Config) => void)[] = [
  checkPeople,
  checkTls,
  checkAcme,
  checkNames,
  checkMail,
  checkHosts,
  checkLab,
]

function checkTls({ tlsCert, tlsKey }: Config): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new InvalidArgumentError('--tls-cert and --tls-key belong together')
  }
}

function checkNames(options: Config): void {
  if (!defaultNamesOf(options, domainOf(options)).fit)
    throw new InvalidArgumentError('--reverse-name is too long for --reverse-domain')
}

/** The options with the one that the environment alone may have. */
function withClientSecret(given: Config): Config {
  const { WOLKE_OIDC_CLIENT_SECRET: oidcClientSecret } = process.env
  return Object.freeze({ ...given, ...(oidcClientSecret ? { oidcClientSecret } : {}) })
}

/**
 * Checks the options against each other; sockets that were passed to this process stand for its addresses. Errors:
 * `InvalidArgumentError` with a message of one line for the operator.
 */
export function toConfig(given: Config): Config {
  const { env, pid } = process
  const options = withClientSecret({ ...given, ...passedSockets(env, pid), traces: tracesOf(env) })
  for (const check of checks) check(options)
  return options
}

/** All options, and a message for each check that they do not pass. */
export function checkedConfig(given: Config): { readonly config: Config; readonly problems: readonly string[] } {
  const config = withClientSecret(given)
  const problems = checks.flatMap((check) => {
    try {
      check(config)
      return []
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      return [error.message]
    }
  })
  return { config, problems }
}
