/** One balancer: its container, its place in OVN and its HAProxy. Calls for one balancer come one after the other. */
import { mkdirSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import type { BalancerState, Observation } from '../../../families/load-balancers/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import { editInstance, type Instance } from '../../../protocols/incus/edit.ts'
import { settleOperations } from '../../../protocols/incus/operations.ts'
import { filesOf } from '../../load-balancers/haproxy/configuration/configuration.ts'
import { folderOf } from '../../load-balancers/haproxy/configuration/files.ts'
import { Measurements } from '../../load-balancers/haproxy/measurements.ts'
import { freshSecondsOf, withoutUnready } from '../../load-balancers/haproxy/readiness.ts'
import { onMember } from '../members.ts'
import { generationOf, networkName } from '../names.ts'
import type { BalancerOverlay, Internal, PrivateNic } from '../overlay/overlay.ts'
import { removeInstance } from '../servers/guest.ts'
import { equipment, Guest } from './guest.ts'
import {
  autostartKey,
  type BalancerHosts,
  balancerImage,
  balancerName,
  configOf,
  devicesOf,
  equipmentKey,
  isAsWanted,
  isBalancer,
  privateMac,
  publicMac,
} from './instance.ts'
import { addressesName, freshName } from './program.ts'

/** Parts that all balancers of a cluster have in common. */
export interface BalancerParts extends BalancerHosts {
  readonly incus: Incus
  readonly overlay: BalancerOverlay
  /** The folder of measurements. */
  readonly directory: string
}

const createMs = 300_000
const powerMs = 60_000

export class Balancer {
  readonly id: number
  readonly measurements: Measurements
  readonly #parts: BalancerParts
  readonly #guest: Guest
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: BalancerParts, id: number) {
    this.id = id
    this.#parts = parts
    this.#guest = new Guest(parts.incus, balancerName(id))
    this.measurements = new Measurements(parts.directory, id, this.#guest)
  }

  /** Makes it be as described. Errors: a `DriverError`; HAProxy goes on as before then. */
  apply(wanted: BalancerState): Promise<void> {
    const files = filesOf(withoutUnready(wanted))
    return this.#next(async () => {
      await settleOperations(this.#parts.incus, balancerName(this.id))
      const internal = await this.#parts.overlay.reserve(this.id, wanted.generation)
      const instance = internal && (await this.#make(wanted, internal))
      if (!instance) return
      await this.#admit(wanted, instance)
      const isMade = await this.#configure(wanted, internal)
      if (!isMade) return
      await this.#start(instance)
      await this.#use(wanted, files)
    })
  }

  /** Removes it, with all that was measured. Errors: a transient `DriverError`. */
  remove(generation: number | null): Promise<void> {
    return this.#next(async () => {
      const { incus, overlay, directory } = this.#parts
      await settleOperations(incus, balancerName(this.id))
      const instance = await this.#find()
      if (instance && generation !== null && generation < generationOf(instance.config)) return
      await overlay.forget(this.id, generation)
      if (instance) await this.#delete()
      rmSync(folderOf(directory, this.id), { recursive: true, force: true })
      this.measurements.remove()
    })
  }

  async #delete(): Promise<void> {
    const { incus } = this.#parts
    // Daemons that start, and other processes, give power to what is to have it.
    await editInstance(incus, balancerName(this.id), ({ config }) => {
      if (config[autostartKey] === 'false' && !config[equipmentKey]) return undefined
      return { config: { ...config, [autostartKey]: 'false', [equipmentKey]: '' } }
    })
    const instance = await this.#find()
    if (!instance) return
    if (instance.status !== 'Stopped') await this.#power('stop')
    await removeInstance(incus, instance.name)
  }

  /**
   * Starts it when somebody has stopped it, and keeps what a crash would lose. Errors: a `DriverError`, or that of HAProxy.
   */
  tend(): Promise<void> {
    return this.#next(async () => {
      const instance = await this.#find()
      if (!instance?.config[equipmentKey]) return
      if (instance.status === 'Stopped') await this.#power('start')
      this.#makeFolder()
      await this.measurements.keepFailures()
      await this.measurements.sample()
    })
  }

  /** Tells what it sees; the health of one that does not answer is not known. Undefined when it has no state at all. */
  async observe(nowMs: number): Promise<Observation | undefined> {
    const report = await this.#guest.report().catch(() => undefined)
    if (!report) return undefined
    this.#makeFolder()
    const health = report.checks ? await this.measurements.health() : []
    return { generation: report.generation, health, traffic: this.measurements.history().traffic(nowMs) }
  }

  get #path(): string {
    return `/1.0/instances/${balancerName(this.id)}`
  }

  /** Does something after everything else that was to be done for this balancer. Errors: those of the work, or `HostGone`. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => onMember(this.#parts.incus, balancerName(this.id), work))
    // Whoever waits for it hears of its failure.
    this.#last = done.catch(() => undefined)
    return done
  }

  /** An instance that has the name and no mark is somebody else's. */
  async #find(): Promise<Instance | undefined> {
    const instance = (await this.#parts.incus.get<Instance>(this.#path))?.value
    return instance && isBalancer(instance) ? instance : undefined
  }

  /** The container, made without power if there is none; undefined when a newer state was there first. */
  async #make(wanted: BalancerState, internal: Internal): Promise<Instance | undefined> {
    const { incus } = this.#parts
    const found = await this.#find()
    if (found) return generationOf(found.config) > wanted.generation ? undefined : found
    await this.#requireNetwork(wanted)
    await incus.change(
      'POST',
      '/1.0/instances',
      {
        name: balancerName(this.id),
        type: 'container',
        source: { type: 'image', alias: balancerImage },
        profiles: [],
        config: configOf(wanted),
        devices: devicesOf(wanted, internal, this.#parts),
      },
      { timeoutMs: createMs },
    )
    return await this.#find()
  }

  /** Brings configuration and devices of a container in line; false when a newer state was there first. */
  async #configure(wanted: BalancerState, internal: Internal): Promise<boolean> {
    await this.#requireNetwork(wanted)
    const [config, devices] = [configOf(wanted), devicesOf(wanted, internal, this.#parts)]
    let isNewest = false
    await editInstance(this.#parts.incus, balancerName(this.id), (current) => {
      isNewest = generationOf(current.config) <= wanted.generation
      if (!isNewest || isAsWanted(current, config, devices)) return undefined
      return { config: { ...current.config, ...config }, devices }
    })
    return isNewest
  }

  /** Networks are made by others, at the same time. */
  async #requireNetwork({ place }: BalancerState): Promise<string | undefined> {
    if (!place) return undefined
    const found = await this.#parts.incus.get<{ config: Record<string, string> }>(
      `/1.0/networks/${networkName(place.network)}`,
    )
    const [gateway] = found?.value.config['ipv4.address']?.split('/') ?? []
    if (!gateway) throw new DriverError(`Network ${place.network} is not on the hosts yet`, { transient: true })
    return gateway
  }

  async #admit({ id, generation, publicAddresses, place }: BalancerState, { config }: Instance): Promise<void> {
    const { overlay } = this.#parts
    const instance = config['volatile.uuid'] ?? ''
    const ipv4 = publicAddresses.find((address) => !isIPv6(address)) ?? null
    const ipv6 = publicAddresses.find(isIPv6) ?? null
    await overlay.admit({ balancer: id, generation, instance, mac: publicMac(id), ipv4, ipv6 })
    const nics = place ? [privateNicOf(id, instance, place)] : []
    await overlay.admitPrivate(id, generation, nics)
  }

  async #start({ status, config }: Instance): Promise<void> {
    if (config[equipmentKey] !== equipment) await this.#guest.equip()
    if (status !== 'Running') await this.#power('start')
  }

  async #power(action: 'start' | 'stop'): Promise<void> {
    const body = { action, force: action === 'stop', timeout: 30 }
    await this.#parts.incus.change('PUT', `${this.#path}/state`, body, { timeoutMs: powerMs })
  }

  async #use(wanted: BalancerState, files: ReadonlyMap<string, string>): Promise<void> {
    const all = new Map(files)
    all.set(addressesName, addressLines(wanted, await this.#requireNetwork(wanted)))
    all.set(freshName, `${freshSecondsOf(wanted.services)}\n`)
    this.#makeFolder()
    const report = await this.#guest.use(all, wanted.generation)
    if (!report) return
    this.measurements.forget()
    await this.measurements.sample()
    await editInstance(this.#parts.incus, balancerName(this.id), ({ config }) =>
      config[equipmentKey] === equipment ? undefined : { config: { ...config, [equipmentKey]: equipment } },
    )
  }

  /** Makes the folder in which measurements are noted. */
  #makeFolder(): void {
    mkdirSync(folderOf(this.#parts.directory, this.id), { recursive: true, mode: 0o700 })
  }
}

/** Lists the addresses with their interfaces, and for a private one the gateway of its network. */
function addressLines({ publicAddresses, place }: BalancerState, gateway: string | undefined): string {
  const lines = publicAddresses.map((address) => `public ${address}\n`)
  if (place) lines.push(`private ${place.address} ${gateway}\n`)
  return lines.join('')
}

function privateNicOf(
  id: number,
  instance: string,
  { network, address }: NonNullable<BalancerState['place']>,
): PrivateNic {
  return {
    network,
    incusNetwork: networkName(network),
    instance,
    device: 'eth1',
    mac: privateMac(id),
    ip: address,
    aliasIps: [],
  }
}
