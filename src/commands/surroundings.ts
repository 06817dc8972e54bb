/** Tells a doctor what the options of `wolke serve` say of this machine. */
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { storageOf } from '../config/storage.ts'
import type { Listener, LookedAt, Speech, Surroundings } from '../doctor/patient.ts'
import type { Infrastructure } from '../drivers/infrastructure.ts'
import type { StorageFacts } from '../drivers/storage/open.ts'
import { fileOf, isInMemory } from '../kernel/data/dialect.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'
import { keyFileOf } from './keyring.ts'
import type { Listeners } from './listening.ts'
import type { OptionFiles } from './options.ts'

/** What only a server knows that runs, or that is looked for from outside. */
export interface Circumstances {
  readonly listeners: readonly Listener[]
  readonly doorsClosed: string | undefined
  readonly tlsCertificate: string | undefined
  readonly clusters: readonly LookedAt[]
}

/** Those of a server that runs. */
export function circumstancesOf(
  { tls, catalogue: { images } }: Pick<OptionFiles, 'tls' | 'catalogue'>,
  { storage: { doors, closed }, clusters }: Pick<Infrastructure, 'storage' | 'clusters'>,
  listeners: readonly Listener[],
): Circumstances {
  const isClosed = doors.ssh === null && doors.webdav === null
  return {
    listeners,
    doorsClosed: isClosed ? closed : undefined,
    tlsCertificate: tls?.cert,
    clusters: clusters.map(({ name, look }) => ({ name, look: () => look(images) })),
  }
}

export function surroundingsOf(config: Config, circumstances: Circumstances): Surroundings {
  const { database, previousKeyFile, smtp, resolver } = config
  const { delegationCheck = config.acmeDirectory === undefined ? 'off' : 'on' } = config
  return {
    file: fileOf(database),
    folders: foldersOf(config),
    keyFile: config.keyFile === undefined && isInMemory(database) ? undefined : keyFileOf(config),
    previousKeyFile,
    smtp,
    delegation: delegationCheck === 'off' ? 'off' : { resolver },
    ...circumstances,
  }
}

function foldersOf(config: Config): Surroundings['folders'] {
  const file = fileOf(config.database)
  const data = file === undefined ? [] : [{ name: 'data', option: '--database', path: dirname(resolve(file)) }]
  return [...data, { name: 'files of Storage Boxes', option: '--storage', path: resolve(storageOf(config).directory) }]
}

interface Door {
  readonly name: string
  readonly option: string
  readonly speaks: Speech
  readonly isTls?: boolean
}

const api: Door = { name: 'API', option: '--listen', speaks: 'api' }
const metadata: Door = { name: 'metadata', option: '--metadata-listen', speaks: 'http' }
const metrics: Door = { name: 'metrics', option: '--metrics-listen', speaks: 'http' }
const dns: Door = { name: 'name server', option: '--dns-listen', speaks: 'dns' }
const ssh: Door = { name: 'SSH door', option: '--storage-ssh', speaks: 'ssh' }
const webdav: Door = { name: 'WebDAV door', option: '--storage-webdav', speaks: 'http' }

const at = ({ host, port }: ListenAddress, { isTls = false, ...door }: Door): Listener => ({
  ...{ host, port, isTls },
  ...door,
})

/** The address in a URL, or in `host:port`. */
function addressIn(text: string): ListenAddress {
  const url = new URL(text.includes('://') ? text : `tcp://${text}`)
  const usual = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usual }
}

/** The places where a server listens. */
export function openedListeners(opened: Listeners, { doors }: Pick<StorageFacts, 'doors'>): Listener[] {
  const found: [string | null | undefined, Door][] = [
    [opened.api.at, { ...api, isTls: opened.api.at.startsWith('https:') }],
    [opened.metadata?.at, metadata],
    [opened.metrics?.at, metrics],
    [opened.dns?.at, dns],
    [doors.ssh, ssh],
    [doors.webdav, webdav],
  ]
  return found.flatMap(([text, door]) => (text ? [at(addressIn(text), door)] : []))
}

/** The places where a server would listen; default ports that are in use are replaced, so they do not matter. */
export function wantedListeners(config: Config): Listener[] {
  const { listen, metadataListen, metricsListen, dnsListen, storageSsh, storageWebdav } = config
  const found: [(ListenAddress & { readonly mayMove?: boolean }) | 'off' | undefined, Door][] = [
    [listen, api],
    [metadataListen, metadata],
    [metricsListen, metrics],
    [dnsListen, dns],
    [storageSsh, ssh],
    [storageWebdav, webdav],
  ]
  return found.flatMap(([one, door]) => (one === undefined || one === 'off' || one.mayMove ? [] : [at(one, door)]))
}
