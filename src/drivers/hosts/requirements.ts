/** A cluster needs this so that servers can run on it. */
import { type Incus, IncusError } from '../../protocols/incus/client.ts'
import type { ClusterOptions } from './options.ts'

/** Parts of the interface of Incus, by the names under which it tells that it has them. */
const extensions = [
  'clustering',
  'clustering_evacuation',
  'cluster_member_state',
  'etag',
  'instances_rebuild',
  'metrics',
  'network_ovn_isolated',
  'network_state_ovn',
  'operation_wait',
  'container_exec_recording',
  'image_create_aliases',
  'api_filtering',
  'custom_block_volumes',
]

/** Virtual machines need these beyond containers. */
const machineExtensions = ['cloud_init', 'vm_boot_priority', 'custom_volume_iso']

/** Checks a cluster. Errors: one line for the operator that says what is missing, or that nothing answers. */
export async function checkRequirements(incus: Incus, options: ClusterOptions): Promise<void> {
  const { name, publicNetwork, pool, instanceType } = options
  const server = (await answerOf(incus, name)).value
  if (server.auth !== 'trusted') throw new Error(`The hosts ${name} do not trust the client certificate`)
  const needed = instanceType === 'container' ? extensions : [...extensions, ...machineExtensions]
  const missing = needed.filter((extension) => !server.api_extensions.includes(extension))
  if (missing.length > 0) {
    throw new Error(`The hosts ${name} need Incus 6.0.4 or newer; theirs lacks ${missing.join(', ')}`)
  }
  const network = await incus.get<{ type: string }>(`/1.0/networks/${encodeURIComponent(publicNetwork)}`)
  if (network?.value.type !== 'ovn') throw new Error(`The hosts ${name} have no OVN network ${publicNetwork}`)
  if (!(await incus.get(`/1.0/storage-pools/${encodeURIComponent(pool)}`))) {
    throw new Error(`The hosts ${name} have no storage pool ${pool}`)
  }
}

interface ServerInfo {
  readonly auth: string
  readonly api_extensions: readonly string[]
}

async function answerOf(incus: Incus, name: string) {
  try {
    const found = await incus.get<ServerInfo>('/1.0')
    if (found) return found
  } catch (cause) {
    const reason = cause instanceof IncusError ? 'refuse to be asked' : 'do not answer'
    throw new Error(`The hosts ${name} ${reason}: ${whole(cause as Error)}`, { cause })
  }
  throw new Error(`The hosts ${name} run no Incus`)
}

/** The message of an error with that of its cause, such as that the daemon shows another certificate. */
export const whole = ({ message, cause }: Error) => (cause instanceof Error ? `${message}: ${cause.message}` : message)
