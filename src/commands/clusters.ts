/** Reads what the options say of clusters of hosts, with the files that they name. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ClusterEntries, ClusterEntry } from '../config/cluster-file.ts'
import type { Config } from '../config/config.ts'
import { checkCertificates } from '../config/hosts.ts'
import { metadataListenOf } from '../config/listening.ts'
import { type ClusterOptions, simulatedName } from '../drivers/hosts/options.ts'
import type { Endpoint } from '../protocols/incus/transport.ts'
import { CommandFailure } from './failure.ts'

export interface Clusters {
  /** The infrastructure of locations that name none. */
  readonly usual: string
  readonly clusters: readonly ClusterOptions[]
}

type Given = Pick<Config, 'metadataListen'> &
  Omit<ClusterEntry, 'name'> &
  Pick<Config, 'infrastructure' | 'infrastructureFile'>

/** Errors: `CommandFailure` of one line that names the option, or the place in the file. */
export async function readClusters(config: Given): Promise<Clusters> {
  const { usual, clusters } = await entriesOf(config)
  return { usual, clusters: clusters.map((entry) => clusterOf(entry, config)) }
}

async function entriesOf(config: Given): Promise<ClusterEntries> {
  const { infrastructure, infrastructureFile: path } = config
  if (infrastructure === 'incus') return { usual: infrastructure, clusters: [{ ...config, name: infrastructure }] }
  if (path === undefined) return { usual: simulatedName, clusters: [] }
  const text = readFile('--infrastructure-file', path)
  const { parseClusters } = await import('../config/cluster-file.ts')
  try {
    return parseClusters(JSON.parse(text))
  } catch (error) {
    throw new CommandFailure(`--infrastructure-file ${path}: ${(error as Error).message}`, 2)
  }
}

function clusterOf(entry: ClusterEntry, config: Given): ClusterOptions {
  const { name, ovn: remotes, incusNetwork: publicNetwork } = entry
  try {
    checkCertificates(entry)
  } catch (error) {
    throw new CommandFailure(`--infrastructure-file: ${name}: ${(error as Error).message}`, 2)
  }
  return {
    name,
    incus: endpointsOf(entry),
    ovn: { remotes, ...ovnTlsOf(entry) },
    uplink: entry.incusUplink,
    publicNetwork,
    pool: entry.incusPool,
    instanceType: entry.incusType,
    instanceConfig: entry.incusConfig,
    nameServers: entry.incusNameServers,
    overcommit: entry.incusOvercommit,
    metadata: entry.metadataAddress ?? metadataListenOf(config),
  }
}

function endpointsOf({ incus, incusCert, incusKey, incusServerCert }: ClusterEntry): Endpoint[] {
  return incus.map((address) => {
    if (address.startsWith('unix:')) return { socket: address.slice('unix:'.length) }
    const { certificate, key } = readPair(['--incus-cert', incusCert!], ['--incus-key', incusKey!])
    const serverCertificate = readCertificate('--incus-server-cert', incusServerCert!)
    return { url: address, certificates: { clientCertificate: certificate, clientKey: key, serverCertificate } }
  })
}

function ovnTlsOf({ ovn, ovnCert, ovnKey, ovnCa }: ClusterEntry): Partial<Pick<ClusterOptions['ovn'], 'tls'>> {
  if (!ovn.some((remote) => remote.startsWith('ssl:'))) return {}
  const pair = readPair(['--ovn-cert', ovnCert!], ['--ovn-key', ovnKey!])
  return { tls: { ...pair, ca: readCertificate('--ovn-ca', ovnCa!) } }
}

type GivenFile = readonly [option: string, path: string]

/** A certificate with its key. Errors: a `CommandFailure` that names what cannot be used. */
function readPair([certOption, certPath]: GivenFile, [keyOption, keyPath]: GivenFile) {
  const certificate = readCertificate(certOption, certPath)
  const key = readFile(keyOption, keyPath)
  if (!hasKey(certificate, key)) {
    throw new CommandFailure(`${keyOption}: ${keyPath} holds no private key in PEM of the certificate ${certPath}`, 2)
  }
  return { certificate, key }
}

function hasKey(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

function readCertificate(option: string, path: string): string {
  const text = readFile(option, path)
  try {
    new X509Certificate(text)
  } catch {
    throw new CommandFailure(`${option}: ${path} holds no certificate in PEM`, 2)
  }
  return text
}

function readFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandFailure(`${option}: ${(error as Error).message}`, 2)
  }
}
