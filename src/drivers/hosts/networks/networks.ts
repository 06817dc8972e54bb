/**
 * Private networks as OVN networks of Incus without an uplink. A network of Incus is changed as rarely as possible, since
 * each change writes its rows in OVN anew: routes are rows of our own beside it.
 */
import type { NetworkDriver, NetworkShape, NetworkState } from '../../../families/networks/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { type Incus, IncusError } from '../../../protocols/incus/client.ts'
import { type Config, edit, unplug } from '../../../protocols/incus/edit.ts'
import { addressAt } from '../../../protocols/net/ip.ts'
import { onAllMembers } from '../members.ts'
import { generationOf, idOf, marksOf, networkName } from '../names.ts'
import type { Overlay } from '../overlay/overlay.ts'
import type { Tombstones } from '../tombstones.ts'

export interface NetworkParts {
  readonly incus: Incus
  readonly tombstones: Tombstones
  readonly overlay: Overlay
}

/** A network as Incus tells it. */
export interface IncusNetwork {
  readonly name: string
  readonly type: string
  readonly description: string
  /** `Created`, once it is there on every member. */
  readonly status: string
  readonly config: Config
  /** Paths of what uses it. */
  readonly used_by: readonly string[] | null
}

/** Creates the driver of private networks. */
export function incusNetworks(parts: NetworkParts): NetworkDriver {
  return {
    apply: ({ id, generation, shape }: NetworkState) =>
      onAllMembers(parts.incus, () => (shape ? put(parts, id, generation, shape) : remove(parts, id, generation))),
  }
}

async function put({ incus, tombstones, overlay }: NetworkParts, id: number, generation: number, shape: NetworkShape) {
  const name = networkName(id)
  const what = `network.${id}`
  const address = gatewayOf(shape.ipRange)
  const found = await edit<IncusNetwork>(incus, pathOf(name), (network) => {
    const { config, description } = network
    if (network.status !== 'Pending' && idOf(config) !== id) {
      throw new DriverError(`the hosts have a network ${name} that is not Wolke's`, { transient: false })
    }
    const isStale = generationOf(config) > generation
    if (isUnfinished(network) || isStale || config['ipv4.address'] === address) return undefined
    return { description, config: { ...config, ...marksOf(id, generation), 'ipv4.address': address } }
  })
  if (!found || isUnfinished(found)) {
    if (await tombstones.cover(what, generation)) return
    if (found && isGivenUp(found)) await discard({ incus, overlay }, found)
    await make(incus, id, configOf(id, generation, address))
    if (await tombstones.cover(what, generation)) return removeFrom({ incus, overlay }, id, generation)
  }
  await overlay.privateRoutes(id, generation, name, shape.routes)
}

/**
 * A network is pending while it is being made, or was when a daemon died: asking for it again completes it, unless it was
 * given up.
 */
const isUnfinished = (network: IncusNetwork) => network.status === 'Pending' || isGivenUp(network)

/**
 * Incus could not make such a network on all hosts, as one of them died meanwhile. It completes none, and nothing uses it.
 */
const isGivenUp = ({ status }: IncusNetwork) => status === 'Errored'

/** Incus refuses to make a network that somebody else makes at the same time. Then it is looked at again later. */
async function make(incus: Incus, id: number, config: Config): Promise<void> {
  const name = networkName(id)
  try {
    await incus.change('POST', '/1.0/networks', { name, type: 'ovn', config })
  } catch (cause) {
    if (!(cause instanceof IncusError)) throw cause
    const found = await incus.get<IncusNetwork>(pathOf(name))
    if (!found || isGivenUp(found.value)) throw cause
    throw new DriverError(`Network ${id} is being made by somebody else`, { transient: true, cause })
  }
}

async function remove({ incus, tombstones, overlay }: NetworkParts, id: number, generation: number): Promise<void> {
  const found = await incus.get<IncusNetwork>(pathOf(networkName(id)))
  if (found && generationOf(found.value.config) > generation) return
  await tombstones.put(`network.${id}`, generation)
  await removeFrom({ incus, overlay }, id, generation)
}

type Engines = Pick<NetworkParts, 'incus' | 'overlay'>

async function removeFrom({ incus, overlay }: Engines, id: number, generation: number) {
  const found = await incus.get<IncusNetwork>(pathOf(networkName(id)))
  if (found && idOf(found.value.config) === id) {
    const { name, used_by: usedBy } = found.value
    await unplug(incus, usedBy ?? [], ({ type, network }) => type === 'nic' && network === name)
    await discard({ incus, overlay }, found.value)
  }
  await overlay.forgetNetwork(id, generation)
}

async function discard({ incus, overlay }: Engines, network: IncusNetwork): Promise<void> {
  const { name } = network
  if (isUnfinished(network) && (await hasRouter(incus, name))) await overlay.clearUnfinished(name)
  await incus.change('DELETE', pathOf(name))
}

/**
 * Incus fails to tell the state of a network that has no router in OVN: it has not begun it there, or that is cleared
 * already.
 */
async function hasRouter(incus: Incus, name: string): Promise<boolean> {
  try {
    return (await incus.get(`${pathOf(name)}/state`)) !== undefined
  } catch (error) {
    if (error instanceof IncusError && error.status === 500) return false
    throw error
  }
}

const pathOf = (name: string) => `/1.0/networks/${name}`

/** The first address of a range with the range's length: that of the router, for all subnets. */
export function gatewayOf(ipRange: string): string {
  return `${addressAt(ipRange, 1n)}/${ipRange.split('/')[1]}`
}

/** The generation is the one under which the network got its range. */
function configOf(id: number, generation: number, address: string): Config {
  return {
    network: 'none',
    'ipv4.address': address,
    'ipv4.nat': 'false',
    'ipv6.address': 'none',
    ...marksOf(id, generation),
  }
}
