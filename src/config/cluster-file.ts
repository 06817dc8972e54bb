/** Parses an operator's file of clusters from JSON and reports the first error with its path. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { instanceTypes, simulatedName } from '../drivers/hosts/options.ts'
import { checkAddress, checkIncusAddress, checkMetadataAddress, checkOvnRemote, type HostsConfig } from './hosts.ts'

// This module imports typebox, so a start loads it only when the operator names such a file.

const File = Type.Optional(Type.String({ minLength: 1 }))
const Name = Type.String({ minLength: 1 })

const ClusterEntry = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }),
  incus: Type.Array(Type.String(), { minItems: 1 }),
  incus_cert: File,
  incus_key: File,
  incus_server_cert: File,
  ovn: Type.Array(Type.String(), { minItems: 1 }),
  ovn_cert: File,
  ovn_key: File,
  ovn_ca: File,
  uplink: Name,
  network: Name,
  pool: Name,
  instance_type: Type.Enum([...instanceTypes]),
  name_servers: Type.Array(Type.String()),
  overcommit: Type.Number({ minimum: 1, maximum: 999 }),
  instance_config: Type.Optional(Type.Record(Type.String(), Type.String())),
  metadata_address: Type.Optional(Type.String()),
})

const ClusterFile = Type.Object({
  /** The infrastructure of locations that name none. */
  default: Type.Optional(Name),
  clusters: Type.Array(ClusterEntry, { minItems: 1 }),
})

const validator = Compile(ClusterFile)

/** The connection settings of one cluster, as options would give them. */
export type ClusterEntry = Omit<HostsConfig, 'infrastructure' | 'infrastructureFile'> & { readonly name: string }

export interface ClusterEntries {
  readonly usual: string
  readonly clusters: readonly ClusterEntry[]
}

/** Errors: one line that names the place, such as `clusters[0].pool: is missing`. */
export function parseClusters(json: unknown): ClusterEntries {
  if (!validator.Check(json)) {
    const [error] = validator.Errors(json)
    const path = (error?.instancePath ?? '')
      .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
      .replaceAll('/', '.')
      .replace(/^\./, '')
    if (error?.keyword !== 'required')
      throw new Error(`${path}: ${error?.message ?? 'does not have the expected shape'}`)
    throw new Error(`${path === '' ? '' : `${path}.`}${error.params.requiredProperties[0]}: is missing`)
  }
  const names = [simulatedName, ...json.clusters.map(({ name }) => name)]
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice > 0) throw new Error(`clusters[${twice - 1}].name: ${names[twice]} is already used`)
  const { default: usual = simulatedName } = json
  if (!names.includes(usual)) throw new Error(`default: no cluster has the name ${usual}`)
  for (const [index, entry] of json.clusters.entries()) checkAddresses(entry, `clusters[${index}]`)
  return { usual, clusters: json.clusters.map(toEntry) }
}

function checkAddresses(entry: Static<typeof ClusterEntry>, place: string): void {
  const check = (key: keyof typeof entry, values: readonly string[], checkOne: (value: string) => void) => {
    try {
      for (const value of values) checkOne(value)
    } catch (error) {
      throw new Error(`${place}.${key}: ${(error as Error).message}`)
    }
  }
  check('incus', entry.incus, checkIncusAddress)
  check('ovn', entry.ovn, checkOvnRemote)
  check('name_servers', entry.name_servers, checkAddress)
  check(
    'metadata_address',
    [entry.metadata_address].flatMap((one) => one ?? []),
    checkMetadataAddress,
  )
}

function toEntry(entry: Static<typeof ClusterEntry>): ClusterEntry {
  return {
    name: entry.name,
    incus: entry.incus,
    ...given('incusCert', entry.incus_cert),
    ...given('incusKey', entry.incus_key),
    ...given('incusServerCert', entry.incus_server_cert),
    ovn: entry.ovn,
    ...given('ovnCert', entry.ovn_cert),
    ...given('ovnKey', entry.ovn_key),
    ...given('ovnCa', entry.ovn_ca),
    incusUplink: entry.uplink,
    incusNetwork: entry.network,
    incusPool: entry.pool,
    incusType: entry.instance_type,
    incusNameServers: entry.name_servers,
    incusOvercommit: entry.overcommit,
    incusConfig: entry.instance_config ?? {},
    ...given('metadataAddress', entry.metadata_address),
  }
}

function given<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, string>)
}
