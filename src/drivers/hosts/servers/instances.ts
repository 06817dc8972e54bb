/**
 * A server as an instance of Incus, and the one thing that is to be done next until it is as desired. Pure: what is read
 * from the instance decides, so a call that was cut off goes on wherever it was.
 */
import type { ServerState } from '../../../families/servers/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { marksOf, serverName } from '../names.ts'
import type { Internal } from '../overlay/overlay.ts'
import { cloudInit, type GuestOptions } from './cloud-init.ts'
import { hasRescue, withDrives } from './drives.ts'
import { publicMac } from './macs.ts'

export interface InstanceOptions extends GuestOptions {
  /** The storage pool of the disks. */
  readonly pool: string
  /** The OVN network that carries public addresses. */
  readonly publicNetwork: string
  /** Further configuration of every instance, such as `security.nesting`. */
  readonly instanceConfig?: Config
}

/** Ids of the last actions whose work on the instance is done, as the state names them. */
const done = {
  installation: 'user.wolke.installation',
  cycle: 'user.wolke.cycle',
  passwordReset: 'user.wolke.password',
}
/** The power that is wanted of the instance under its generation, for whoever changes it too late. */
const wantedPower = 'user.wolke.power'
export const placementGroup = 'user.wolke.group'

type Done = keyof typeof done

/** The work that is to be done next. */
export type Task =
  /** Take away its power, asking the guest for it or not; its disk may be written next. */
  | { readonly do: 'stop'; readonly manner: ServerState['manner']; readonly before?: 'install' }
  /** Write the image to its disk. */
  | { readonly do: 'install' }
  /** Replace its configuration and devices. */
  | { readonly do: 'configure'; readonly config: Config; readonly devices: Instance['devices'] }
  | { readonly do: 'boot' }
  | { readonly do: 'set password' }

/** Returns what an instance is made with. Nothing of it has been done yet but its disk. */
export function newInstance(state: ServerState, internal: Internal, options: InstanceOptions) {
  return {
    name: serverName(state.id),
    type: options.instanceType,
    profiles: [],
    config: {
      ...configOf(state, options),
      ...cloudInit(state, publicMac(state.id), options, {}),
      ...markedDone(state, ['installation', 'cycle', 'passwordReset']),
    },
    devices: devicesOf({}, state, internal, options, state.rescue !== null),
  }
}

/**
 * The next task for an instance; undefined when it is as desired. What is desired is written down before anything is done.
 */
export function nextTask(
  instance: Instance,
  state: ServerState,
  internal: Internal,
  options: InstanceOptions,
): Task | undefined {
  const { config } = instance
  const isOn = isRunning(instance)
  const lacks = (what: Done) => state[what] !== null && config[done[what]] !== String(state[what])
  // Without power it counts as restarted: all that is left to do is to boot.
  const restarted = isOn ? {} : markedDone(state, ['cycle'])
  const changes = { ...configOf(state, options), ...documentsOf(instance, state, options), ...restarted }
  const isRescued = isOn ? hasRescue(instance) : state.rescue !== null
  const devices = devicesOf(instance.devices, state, internal, options, isRescued)
  if (!includes(config, changes) || !sameDevices(instance.devices, devices)) {
    return { do: 'configure', config: { ...config, ...changes }, devices }
  }
  if (isOn && lacks('installation')) return { do: 'stop', manner: 'hard', before: 'install' }
  if (isOn && (state.power === 'off' || lacks('cycle'))) return { do: 'stop', manner: state.manner }
  if (lacks('installation')) return { do: 'install' }
  if (!isOn && state.power === 'on') return { do: 'boot' }
  if (isOn && lacks('passwordReset')) return { do: 'set password' }
  return undefined
}

/** The marks of work that was done as the state asks for it. */
export function markedDone(state: ServerState, what: readonly Done[]): Config {
  return Object.fromEntries(what.filter((one) => state[one] !== null).map((one) => [done[one], String(state[one])]))
}

/** Tells whether the guest may have power. One that is frozen has, and of one whose host does not know nobody can say. */
export function isRunning({ status }: Pick<Instance, 'status'>): boolean {
  return !['Stopped', 'Stopping', 'Aborting'].includes(status)
}

/**
 * Asserts that its host knows whether an instance has power, which it does not when what runs the guest hangs or has failed.
 * Errors: a transient `DriverError` with the cause, if there is one, otherwise.
 */
export function needKnownPower({ status }: Pick<Instance, 'status'>, cause?: unknown): void {
  if (status !== 'Error') return
  const message = 'the host of the server does not know whether it runs'
  throw new DriverError(message, { transient: true, code: 'unavailable', cause })
}

/** The power that the newest generation wants of an instance. */
export const powerWanted = ({ config }: Instance) => config[wantedPower]

/**
 * The documents for the guest. One that runs is told what its next boot from the disk is to know, and the rescue system,
 * which a boot has used up by then, keeps what it was told.
 */
function documentsOf(instance: Instance, state: ServerState, options: InstanceOptions): Config {
  const isOn = isRunning(instance)
  if (isOn && options.instanceType === 'virtual-machine' && hasRescue(instance)) return {}
  return cloudInit(isOn ? { ...state, rescue: null } : state, publicMac(state.id), options, instance.config)
}

function configOf(state: ServerState, options: InstanceOptions): Config {
  const { id, generation, name, cores, memoryMb, power } = state
  return {
    ...(options.instanceType === 'virtual-machine' ? firmwareOf(id) : noProbes),
    ...options.instanceConfig,
    ...marksOf(id, generation),
    'user.wolke.name': name,
    'limits.cpu': String(cores),
    'limits.memory': `${memoryMb}MiB`,
    [wantedPower]: power,
    [placementGroup]: String(state.placementGroup ?? ''),
  }
}

/**
 * A container asks nobody whether its addresses are its own, which would hold its boot for one or two seconds: hosts let no
 * one else send from them. Incus sets this once the interface is there.
 */
const noProbes: Config = { 'linux.sysctl.net.ipv6.conf.eth0.accept_dad': '0' }

/**
 * Images that know the cloud by its firmware find the metadata service, and nobody signs all that servers boot from. Not
 * run: it needs KVM.
 */
const firmwareOf = (id: number): Config => ({
  'raw.qemu': `-smbios type=1,manufacturer=Hetzner,serial=${id}`,
  'security.secureboot': 'false',
})

/** The devices of an instance, with those of others as they are. */
function devicesOf(
  current: Instance['devices'],
  state: ServerState,
  internal: Internal,
  { instanceType, pool, publicNetwork }: InstanceOptions,
  isRescued: boolean,
): Instance['devices'] {
  const devices: Instance['devices'] = {
    ...current,
    root: { type: 'disk', path: '/', pool, size: `${state.diskGb}GiB` },
    eth0: {
      type: 'nic',
      name: 'eth0',
      network: publicNetwork,
      hwaddr: publicMac(state.id),
      'ipv4.address': internal.ipv4,
      'ipv6.address': internal.ipv6,
    },
  }
  if (instanceType === 'container') return devices
  return withDrives(devices, { iso: state.iso, hasRescue: isRescued }, pool)
}

/** A key without a value is one that is not there. */
const includes = (whole: Config, part: Config) =>
  Object.entries(part).every(([key, value]) => (whole[key] ?? '') === value)

function sameDevices(a: Instance['devices'], b: Instance['devices']): boolean {
  const isSame = ([name, device]: [string, Config]) => {
    const other = a[name]
    return other && includes(other, device) && includes(device, other)
  }
  return Object.keys(a).length === Object.keys(b).length && Object.entries(b).every(isSame)
}
