/** A balancer is an instance of Incus: a container that keeps what it needs inside of itself. */
import type { BalancerState } from '../../../families/load-balancers/driver.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { marksOf, networkName } from '../names.ts'
import type { Internal } from '../overlay/overlay.ts'

export const balancerName = (id: number) => `lb-${id}`
/** The alias of the image, which the operator imports. */
export const balancerImage = 'wolke-balancer'
const kind = 'load-balancer'
const kindKey = 'user.wolke.kind'
/**
 * The program that it was equipped with, once it has carried traffic: from then on, whoever finds it stopped may start it. An
 * older program is replaced by the next change.
 */
export const equipmentKey = 'user.wolke.equipment'

/** It gets power when the daemon of its host starts if this is true. */
export const autostartKey = 'boot.autostart'

export interface BalancerHosts {
  /** The storage pool of the disks. */
  readonly pool: string
  /** The OVN network that carries public addresses. */
  readonly publicNetwork: string
}

/** Memory of Debian with HAProxy, and of a connection with its buffers. */
const baseMb = 192
const connectionKb = 72
const diskSize = '2GiB'

/** An instance in a list; that of a host that does not answer has no configuration. */
export interface ListedInstance {
  readonly name: string
  readonly config: Config | null
}

/** Only what Wolke made as a balancer is one. */
export const isBalancer = ({ config }: Pick<ListedInstance, 'config'>) => config?.[kindKey] === kind

/** The id of a balancer; undefined for any other instance. One on a host that does not answer has nothing but its name. */
export function balancerIdOf(instance: ListedInstance): number | undefined {
  const [, id] = /^lb-(\d+)$/.exec(instance.name) ?? []
  return id !== undefined && (instance.config === null || isBalancer(instance)) ? Number(id) : undefined
}

/** The hardware addresses follow from the id, so that a balancer that is made again has the same ones. */
export const publicMac = (id: number) => macOf('9a', id)
export const privateMac = (id: number) => macOf('9e', id)

function macOf(first: string, id: number): string {
  const digits = id.toString(16).padStart(10, '0').slice(-10)
  return [first, ...digits.match(/../g)!].join(':')
}

/** The marks of a balancer, which has one more than everything else that Wolke makes. */
export const balancerMarks = (id: number, generation: number): Config => ({
  ...marksOf(id, generation),
  [kindKey]: kind,
})

/** Tells whether an instance has its disk, its public interface, and one in each of some private networks. */
export function hasDevices({ devices }: Pick<Instance, 'devices'>, networks: ReadonlySet<number>): boolean {
  const names = new Set(Object.values(devices).map(({ network }) => network))
  return Boolean(devices.root && devices.eth0) && [...networks].every((id) => names.has(networkName(id)))
}

/** Derives the configuration of an instance from the state. */
export function configOf({ id, generation, maxConnections }: BalancerState): Config {
  return {
    ...balancerMarks(id, generation),
    [autostartKey]: 'true',
    'limits.cpu': '1',
    'limits.memory': `${baseMb + Math.ceil((maxConnections * connectionKb) / 1_024)}MiB`,
  }
}

export function devicesOf(
  { id, place }: BalancerState,
  internal: Internal,
  { pool, publicNetwork }: BalancerHosts,
): Instance['devices'] {
  const nic = (name: string, network: string, hwaddr: string) => ({ type: 'nic', name, network, hwaddr })
  return {
    root: { type: 'disk', path: '/', pool, size: diskSize },
    eth0: {
      ...nic('eth0', publicNetwork, publicMac(id)),
      'ipv4.address': internal.ipv4,
      'ipv6.address': internal.ipv6,
    },
    ...(place
      ? { eth1: { ...nic('eth1', networkName(place.network), privateMac(id)), 'ipv4.address': place.address } }
      : {}),
  }
}

/** Tells whether configuration and devices are as wanted, whatever Incus itself added to the configuration. */
export function isAsWanted(instance: Instance, config: Config, devices: Instance['devices']): boolean {
  return includes(instance.config, config) && sameDevices(instance.devices, devices)
}

const includes = (whole: Config, part: Config) => Object.entries(part).every(([key, value]) => whole[key] === value)

function sameDevices(a: Instance['devices'], b: Instance['devices']): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] && includes(a[name]!, b[name]) && includes(b[name], a[name]!))
  )
}
