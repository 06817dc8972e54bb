/** The options of what runs the machines: the simulated infrastructure, or hosts with Incus and OVN. */
import { InvalidArgumentError, Option } from 'commander'
import { type InstanceType, instanceTypes, simulatedName } from '../drivers/hosts/options.ts'
import { type DatabaseUrl, fileOf, isInMemory } from '../kernel/data/dialect.ts'
import { parseAddress } from '../protocols/net/ip.ts'
import { count } from './dns.ts'

const kinds = [simulatedName, 'incus'] as const

export interface HostsConfig {
  readonly infrastructure: (typeof kinds)[number]
  readonly infrastructureFile?: string
  /** `unix:PATH`, or URLs of members. */
  readonly incus: readonly string[]
  readonly incusCert?: string
  readonly incusKey?: string
  readonly incusServerCert?: string
  readonly incusUplink: string
  readonly incusNetwork: string
  readonly incusPool: string
  readonly incusType: InstanceType
  readonly incusNameServers: readonly string[]
  readonly incusOvercommit: number
  /** Further configuration of every server. */
  readonly incusConfig: Readonly<Record<string, string>>
  readonly ovn: readonly string[]
  readonly ovnCert?: string
  readonly ovnKey?: string
  readonly ovnCa?: string
  /** `ADDRESS:PORT`; undefined means where it listens. */
  readonly metadataAddress?: string
}

export interface KeepingConfig {
  /** The time during which unwanted objects are logged before they are removed, in minutes. */
  readonly orphanGrace: number
}

const listOf = (check: (one: string) => void) => (text: string) => {
  const all = text.split(',').map((one) => one.trim())
  for (const one of all) check(one)
  return all
}

/** Errors: `InvalidArgumentError` for what is no daemon of Incus. */
export function checkIncusAddress(text: string): void {
  if (/^unix:\/./.test(text)) return
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:') {
    throw new InvalidArgumentError(`${text}: expected unix:/PATH or https://HOST:PORT.`)
  }
}

/** Errors: `InvalidArgumentError` for what is no remote of OVN. */
export function checkOvnRemote(text: string): void {
  if (!/^(unix:\/.+|(ssl|tcp):(\[[0-9a-fA-F:]+\]|[^:\s]+):\d{1,5})$/.test(text)) {
    throw new InvalidArgumentError(`${text}: expected unix:/PATH, ssl:HOST:PORT or tcp:HOST:PORT.`)
  }
}

/** Errors: `InvalidArgumentError` for what is no IP address. */
export function checkAddress(text: string): void {
  if (!parseAddress(text).ok) throw new InvalidArgumentError(`${text}: expected an IP address.`)
}

/** Errors: `InvalidArgumentError` for what is no IPv4 address with a port. */
export function checkMetadataAddress(text: string): void {
  const [, address = '', port] = /^([\d.]+):(\d{1,5})$/.exec(text) ?? []
  if (!parseAddress(address).ok || Number(port) > 65_535) {
    throw new InvalidArgumentError(`${text}: expected ADDRESS:PORT with an IPv4 address.`)
  }
}

function metadataAddress(text: string): string {
  checkMetadataAddress(text)
  return text
}

function overcommit(text: string): number {
  const times = Number(text)
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text) || times < 1) throw new InvalidArgumentError('Expected a number from 1 on.')
  return times
}

/** Errors: `InvalidArgumentError` for what is no list of settings. */
function settings(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((one) => /^\s*([a-z0-9._-]+)=(.+?)\s*$/i.exec(one)?.slice(1))
  if (!pairs.every((pair) => pair !== undefined)) throw new InvalidArgumentError('Expected KEY=VALUE,...')
  return Object.fromEntries(pairs)
}

export function hostsOptions(): Option[] {
  return [
    new Option('--infrastructure <kind>', 'what runs the machines of locations that name nothing else')
      .env('WOLKE_INFRASTRUCTURE')
      .choices(kinds)
      .default(simulatedName),
    new Option('--infrastructure-file <file>', 'JSON with several clusters of hosts, which locations name').env(
      'WOLKE_INFRASTRUCTURE_FILE',
    ),
    new Option('--incus <address,...>', 'Incus: unix:PATH of the socket of a member, or https://HOST:PORT of members')
      .env('WOLKE_INCUS')
      .argParser(listOf(checkIncusAddress))
      .default(['unix:/var/lib/incus/unix.socket'], 'unix:/var/lib/incus/unix.socket'),
    new Option('--incus-cert <file>', 'certificate (PEM) that Incus trusts; for https').env('WOLKE_INCUS_CERT'),
    new Option('--incus-key <file>', 'private key (PEM) of that certificate').env('WOLKE_INCUS_KEY'),
    new Option('--incus-server-cert <file>', 'certificate (PEM) that Incus shows; no other is accepted').env(
      'WOLKE_INCUS_SERVER_CERT',
    ),
    new Option('--incus-uplink <name>', 'physical network of Incus through which public addresses are reached')
      .env('WOLKE_INCUS_UPLINK')
      .default('UPLINK'),
    new Option('--incus-network <name>', 'OVN network of Incus to which every server is connected')
      .env('WOLKE_INCUS_NETWORK')
      .default('pub'),
    new Option('--incus-pool <name>', 'storage pool of disks and volumes').env('WOLKE_INCUS_POOL').default('default'),
    new Option('--incus-type <type>', 'what servers are')
      .env('WOLKE_INCUS_TYPE')
      .choices(instanceTypes)
      .default('virtual-machine'),
    new Option('--incus-name-servers <address,...>', 'name servers that servers are told')
      .env('WOLKE_INCUS_NAME_SERVERS')
      .argParser(listOf(checkAddress))
      .default([], 'none'),
    new Option('--incus-overcommit <times>', 'how many times its memory a host may promise to servers')
      .env('WOLKE_INCUS_OVERCOMMIT')
      .argParser(overcommit)
      .default(1),
    new Option('--incus-config <key=value,...>', 'further configuration of every server, such as security.nesting=true')
      .env('WOLKE_INCUS_CONFIG')
      .argParser(settings)
      .default({}, 'none'),
    new Option('--ovn <remote,...>', 'OVN northbound database: unix:PATH, or ssl:HOST:PORT of members')
      .env('WOLKE_OVN')
      .argParser(listOf(checkOvnRemote))
      .default(['unix:/run/ovn/ovnnb_db.sock'], 'unix:/run/ovn/ovnnb_db.sock'),
    new Option('--ovn-cert <file>', 'certificate (PEM) for OVN; for ssl').env('WOLKE_OVN_CERT'),
    new Option('--ovn-key <file>', 'private key (PEM) of that certificate').env('WOLKE_OVN_KEY'),
    new Option('--ovn-ca <file>', 'certificates (PEM) that sign those of OVN').env('WOLKE_OVN_CA'),
    new Option(
      '--metadata-address <address:port>',
      'where hosts reach the metadata service (default: --metadata-listen)',
    )
      .env('WOLKE_METADATA_ADDRESS')
      .argParser(metadataAddress),
  ]
}

export function orphanGraceOption(): Option {
  return new Option(
    '--orphan-grace <minutes>',
    'how long the log tells of what nobody wants on hosts before it is removed',
  )
    .env('WOLKE_ORPHAN_GRACE')
    .argParser(count)
    .default(1_440, '1440')
}

/** The private folder for what is measured on hosts; undefined for data in memory, with which it goes. */
export function hostsDirectory(database: DatabaseUrl): string | undefined {
  if (isInMemory(database)) return undefined
  const file = fileOf(database)
  return file === undefined ? 'data/hosts' : `${file}.hosts`
}

/** Checks these options against each other. Errors: `InvalidArgumentError`. */
export function checkHosts(config: HostsConfig): void {
  const { infrastructure, infrastructureFile } = config
  if (infrastructureFile !== undefined && infrastructure === 'incus') {
    throw new InvalidArgumentError('--infrastructure incus and --infrastructure-file exclude each other')
  }
  if (infrastructure === 'incus') checkCertificates(config)
}

/** Checks that there are certificates for every connection that needs them. Errors: `InvalidArgumentError`. */
export function checkCertificates(config: Omit<HostsConfig, 'infrastructure'>): void {
  const { incus, incusCert, incusKey, incusServerCert, ovn, ovnCert, ovnKey, ovnCa } = config
  if (incus.some((one) => one.startsWith('https:')) && !(incusCert && incusKey && incusServerCert)) {
    throw new InvalidArgumentError('--incus https://... needs --incus-cert, --incus-key and --incus-server-cert')
  }
  if (ovn.some((one) => one.startsWith('ssl:')) && !(ovnCert && ovnKey && ovnCa)) {
    throw new InvalidArgumentError('--ovn ssl:... needs --ovn-cert, --ovn-key and --ovn-ca')
  }
}
