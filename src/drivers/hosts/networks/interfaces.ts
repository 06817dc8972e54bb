/**
 * Private interfaces of servers: devices of their instances. A server that runs gets its address at once; one that starts,
 * also by itself or with its host, finds it in the network configuration that cloud-init reads.
 */
import { isDeepStrictEqual } from 'node:util'
import type { InterfacesDriver, InterfacesState, PrivateInterface } from '../../../families/networks/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import { type Incus, IncusError } from '../../../protocols/incus/client.ts'
import { type Config, editInstance, type Instance } from '../../../protocols/incus/edit.ts'
import { parseCidr } from '../../../protocols/net/ip.ts'
import { onMember } from '../members.ts'
import { generationOf, networkName, serverName, setMark } from '../names.ts'
import type { Overlay } from '../overlay/overlay.ts'
import { command, instanceOf, renewNetworkSeed } from '../servers/guest.ts'
import { withPrivateEthernets } from '../servers/network-config.ts'
import type { IncusNetwork } from './networks.ts'

export interface InterfaceParts {
  readonly incus: Incus
  readonly overlay: Overlay
}

/** The generation of the set of private interfaces that an instance has. */
const setGeneration = 'user.wolke.interfaces'

/** Creates the driver of private interfaces. */
export function incusInterfaces(parts: InterfaceParts): InterfacesDriver {
  return { apply: (state) => onMember(parts.incus, serverName(state.serverId), () => apply(parts, state)) }
}

async function apply({ incus, overlay }: InterfaceParts, { serverId, generation, interfaces }: InterfacesState) {
  const instance = await instanceOf(incus, serverId)
  if (!instance) {
    if (interfaces.length === 0) return
    throw new DriverError(`Server ${serverId} is not on the hosts yet`, { transient: true })
  }
  if (generationOf(instance.config, setGeneration) > generation) return
  const ids = interfaces.map(({ networkId }) => networkId)
  const wanted = await Promise.all(interfaces.map((one) => withRange(incus, one)))
  await overlay.admitPrivate(
    serverId,
    generation,
    interfaces.map((one) => ({
      network: one.networkId,
      incusNetwork: networkName(one.networkId),
      instance: instance.config['volatile.uuid']!,
      device: networkName(one.networkId),
      mac: one.mac,
      ip: one.ip,
      aliasIps: one.aliasIps,
    })),
  )
  const mark = setMark(generation, ids)
  await editInstance(incus, instance.name, ({ config, devices, type }) => {
    if (generationOf(config, setGeneration) > generation) return undefined
    const next = withInterfaces(devices, wanted)
    if (config[setGeneration] === mark && isDeepStrictEqual(devices, next)) return undefined
    const ethernets = withPrivateEthernets(config, type, ethernetsOf(next, wanted))
    return { devices: next, config: { ...config, ...ethernets, [setGeneration]: mark } }
  })
  for (const one of wanted) await tellGuest(incus, serverId, one)
  const now = await instanceOf(incus, serverId)
  if (now?.type === 'container') await renewNetworkSeed(incus, now)
}

/** A private interface, and the range of its network, all of which is behind the gateway. */
interface Wanted extends PrivateInterface {
  readonly ipRange: string
}

async function withRange(incus: Incus, one: PrivateInterface): Promise<Wanted> {
  const found = await incus.get<IncusNetwork>(`/1.0/networks/${networkName(one.networkId)}`)
  const address = found?.value.config['ipv4.address']
  if (!address) throw new DriverError(`Network ${one.networkId} is not on the hosts yet`, { transient: true })
  return { ...one, ipRange: rangeAround(address) }
}

/** The canonical range of an address with a prefix length, such as `10.0.0.1/16`. */
function rangeAround(address: string): string {
  const range = parseCidr(address, 'drop')
  if (!range.ok) throw new DriverError(`The hosts have a network with the address ${address}`, { transient: false })
  return range.cidr
}

/** The devices of an instance with exactly these private interfaces; each keeps its name in the guest. */
export function withInterfaces(devices: Instance['devices'], wanted: readonly PrivateInterface[]): Instance['devices'] {
  const next: Record<string, Config> = {}
  for (const [name, device] of Object.entries(devices)) {
    const isKept = wanted.some((one) => networkName(one.networkId) === name && isDeviceOf(device, one))
    if (!isPrivate(name) || isKept) next[name] = device
  }
  for (const one of wanted) {
    const name = networkName(one.networkId)
    next[name] ??= {
      type: 'nic',
      network: name,
      name: freeName(next),
      hwaddr: one.mac,
      'ipv4.address': one.ip,
    }
  }
  return next
}

const isPrivate = (name: string) => /^wn\d+$/.test(name)

const isDeviceOf = (device: Config, { mac, ip }: PrivateInterface) =>
  device.hwaddr === mac && device['ipv4.address'] === ip

/** The first of eth1, eth2, … that no device has. */
function freeName(devices: Instance['devices']): string {
  const taken = new Set(Object.values(devices).map(({ name }) => name))
  for (let index = 1; ; index++) if (!taken.has(`eth${index}`)) return `eth${index}`
}

/** A guest has to know this of its private interfaces: all that is in their networks is behind the gateways. */
const ethernetsOf = (devices: Instance['devices'], wanted: readonly Wanted[]) =>
  wanted.map(({ networkId, mac, ip, gateway, ipRange }) => ({
    name: devices[networkName(networkId)]!.name!,
    mac,
    addresses: [`${ip}/32`],
    routes: [
      { to: `${gateway}/32`, scope: 'link' },
      { to: ipRange, via: gateway, 'on-link': true },
    ],
  }))

const configureLink = `
test -z "$(ip -oneline -4 address show dev "$1")" || exit 0
ip link set dev "$1" up &&
ip address replace "$2/32" dev "$1" &&
ip route replace "$3/32" dev "$1" scope link &&
ip route replace "$4" via "$3" dev "$1" onlink
exit 0`

/**
 * Gives a running container the address of an interface that has none, as a DHCP client of its own would. A guest that has
 * no such tools configures itself, which is why the end of the command does not matter.
 */
async function tellGuest(incus: Incus, server: number, { networkId, ip, gateway, ipRange }: Wanted): Promise<void> {
  const instance = await instanceOf(incus, server)
  const name = instance?.devices[networkName(networkId)]?.name
  if (!instance || !name || instance.status !== 'Running' || instance.type !== 'container') return
  try {
    await command(incus, instance.name, ['sh', '-c', configureLink, 'sh', name, ip, gateway, ipRange])
  } catch (error) {
    if (!(error instanceof IncusError) || error.status !== 500) throw error
  }
}
