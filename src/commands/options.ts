/**
 * Turns the options of `wolke serve` into those of the app. Files that they name are read and checked before anything
 * is changed.
 */
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AppOptions } from '../app.ts'
import { builtIn } from '../catalogue/built-in.ts'
import { type Catalogue, type CatalogueData, openCatalogue } from '../catalogue/catalogue.ts'
import { type Config, domainOf } from '../config/config.ts'
import { defaultNamesOf, givenZoneSettings, secondariesOf } from '../config/dns.ts'
import { oidcOf } from '../config/people.ts'
import type { AuthorityOptions } from '../drivers/authorities.ts'
import { families } from '../families.ts'
import { type Durations, type DurationTable, durationsOf, readDurations } from '../kernel/actions/durations.ts'
import { smtpSender } from '../kernel/mail/smtp.ts'
import type { OidcOptions } from '../people/providers/oidc.ts'
import { pemBlocks } from '../protocols/net/pem.ts'
import { type Clusters, readClusters } from './clusters.ts'
import { CommandFailure } from './failure.ts'
import { type KeyFiles, readKeyFiles } from './keyring.ts'
import { type BeginningScenario, readScenarios } from './scenarios.ts'

/** Contents of the files that options name. */
export interface OptionFiles {
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly catalogue: Catalogue
  /** Certificates in PEM. */
  readonly acmeCa: string | undefined
  readonly keys: KeyFiles
  readonly oidc: OidcOptions | undefined
  readonly clusters: Clusters
  readonly durations: Durations | undefined
  readonly scenario: BeginningScenario | undefined
  /** The text of a seed file. */
  readonly seed: string | undefined
  readonly secondaries: ReturnType<typeof secondariesOf>
}

/** Reads every file that an option names without changing any. Errors: `CommandFailure` that names the option. */
export async function readOptionFiles(config: Config): Promise<OptionFiles> {
  checkReadyFile(config)
  const catalogue = await readCatalogue(config.catalogue)
  return {
    tls: await readTls(config),
    catalogue,
    acmeCa: readCa(config),
    keys: readKeyFiles(config),
    oidc: readOidc(config),
    clusters: await readClusters(config),
    durations: actionDurations(config),
    scenario: await readScenarios(config, catalogue),
    seed: readSeed(config),
    secondaries: readSecondaries(config),
  }
}

/** Reads the same, and says of each file that it cannot read why. Changes nothing. */
export async function problemsOfFiles(config: Config): Promise<string[]> {
  const catalogue = readCatalogue(config.catalogue)
  const reads = [
    async () => checkReadyFile(config),
    () => catalogue,
    () => readTls(config),
    async () => readCa(config),
    async () => readKeyFiles(config),
    async () => readOidc(config),
    () => readClusters(config),
    async () => actionDurations(config),
    // A scenario names what the catalogue has, whose own problem is told already.
    () =>
      catalogue.then(
        (known) => readScenarios(config, known),
        () => undefined,
      ),
    async () => readSeed(config),
  ]
  const settled = await Promise.allSettled(reads.map((read) => read()))
  return settled.flatMap((one) => {
    if (one.status === 'fulfilled') return []
    if (one.reason instanceof CommandFailure) return [one.reason.message]
    throw one.reason
  })
}

/** Within this time a request follows on a connection that is in use, or on one that was just made. */
const closingMs = 500

/** The options of the app that depend on the command line alone. */
export function appOptions(
  config: Config,
  { tls, catalogue, acmeCa, oidc, durations }: OptionFiles,
): Omit<AppOptions, 'db' | 'clock' | 'log' | 'secrets' | 'drivers' | 'capabilities'> {
  return {
    catalogue,
    authority: authorityOptions(config, acmeCa),
    vendor: config.vendor,
    reverseDomain: domainOf(config),
    defaultNames: defaultNamesOf(config, domainOf(config)),
    settings: { zones: givenZoneSettings(config) },
    rateLimit: config.rateLimit === 'off' ? undefined : config.rateLimit,
    limits: config.limits,
    orphanGraceMs: config.orphanGrace * 60_000,
    connections: { perAddress: config.connectionsPerAddress, requests: config.requestsPerConnection, closingMs },
    publicOrigins: config.publicUrl,
    trustedProxies: config.trustedProxies,
    people: { oidc, isOidcOnly: config.oidcOnly },
    auditRetentionDays: config.auditRetention,
    ...(tls ? { tls } : {}),
    ...(durations ? { engine: { durations } } : {}),
    ...(config.smtp ? { mail: { send: smtpSender(config.smtp, config.mailFrom!) } } : {}),
  }
}

function authorityOptions(config: Config, ca: string | undefined): AuthorityOptions {
  const { acmeDirectory: directory, acmeContact: contact, acmeEabKid: kid, acmeEabKey: key, resolver } = config
  const { delegationCheck = directory === undefined ? 'off' : 'on', acmeAllowPrivate: allowPrivate = false } = config
  const { acmeNonceAttempts: nonceAttempts } = config
  const binding = kid !== undefined && key !== undefined ? { kid, key } : undefined
  return {
    delegation: delegationCheck === 'off' ? 'unchecked' : { resolver },
    ...(directory === undefined ? {} : { acme: { directory, contact, binding, ca, allowPrivate, nonceAttempts } }),
  }
}

function refused(option: string, error: unknown): CommandFailure {
  return new CommandFailure(`${option}: ${(error as Error).message}`, 2)
}

function readFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refused(option, error)
  }
}

async function readTls({ tlsCert, tlsKey }: Config): Promise<OptionFiles['tls']> {
  if (!tlsCert || !tlsKey) return undefined
  const found = { cert: readFile('--tls-cert', tlsCert), key: readFile('--tls-key', tlsKey) }
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext(found)
  } catch (error) {
    throw refused('--tls-cert and --tls-key', error)
  }
  return found
}

/** The catalogue in force. Errors: `CommandFailure` that names the option. */
export const readCatalogue = async (path: string | undefined): Promise<Catalogue> =>
  openCatalogue(await readCatalogueData(path))

/** What the catalogue in force says, as a file would. Errors: `CommandFailure` that names the option. */
export async function readCatalogueData(path: string | undefined): Promise<CatalogueData> {
  if (path === undefined) return builtIn
  const text = readFile('--catalogue', path)
  // Loaded only when an operator brings a catalogue, to keep the start fast.
  const { parseCatalogue } = await import('../catalogue/file.ts')
  try {
    return parseCatalogue(JSON.parse(text))
  } catch (error) {
    throw refused(`--catalogue ${path}`, error)
  }
}

/**
 * Node ignores certificates that it cannot read, so each one is parsed here and a bad --acme-ca-file fails at start.
 */
function readCa({ acmeCaFile: path }: Config): string | undefined {
  if (path === undefined) return undefined
  const text = readFile('--acme-ca-file', path)
  const blocks = pemBlocks(text)
  if (!blocks || blocks.length === 0) throw refused('--acme-ca-file', new Error(`${path} holds no certificate in PEM`))
  try {
    for (const { label, body } of blocks) new X509Certificate(`-----BEGIN ${label}-----${body}-----END ${label}-----`)
  } catch (error) {
    throw refused('--acme-ca-file', error)
  }
  return text
}

function readSecondaries(config: Config): OptionFiles['secondaries'] {
  const { dnsTransferKeys: path } = config
  const keys = path === undefined ? '' : readFile('--dns-transfer-keys', path)
  try {
    return secondariesOf(config, keys)
  } catch (error) {
    throw refused('--dns-transfer-keys', error)
  }
}

function readOidc(config: Config): OidcOptions | undefined {
  try {
    return oidcOf(config)
  } catch (error) {
    throw refused('--oidc-client-secret-file', error)
  }
}

function actionDurations({ actions, randomSeed }: Config): Durations | undefined {
  if (actions === 'instant') return undefined
  if (actions === 'realistic') return durationsOf(realistic(), randomSeed)
  const text = readFile('--actions', actions)
  try {
    return durationsOf(readDurations(text, commandsOfActions()), randomSeed)
  } catch (error) {
    throw refused(`--actions ${actions}`, error)
  }
}

/** The time that actions take on a public cloud. */
const realistic = (): DurationTable => Object.assign({ '*': [1, 2] }, ...families.map(({ durations }) => durations))

const commandsOfActions = () => families.flatMap(({ actions }) => actions.map(({ command }) => command))

const readSeed = ({ seed }: Config) => (seed === undefined ? undefined : readFile('--seed', seed))

function checkReadyFile({ readyFile: path }: Config): void {
  if (path === undefined) return
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${path} is a folder`)
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw refused('--ready-file', error)
  }
}
