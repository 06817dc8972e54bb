/**
 * The simulated infrastructure as a place: its network tells what becomes of a packet. Its servers have no inside, so that
 * what is written to a disk is kept here, by what the infrastructure says of disks, images and volumes.
 */
import type { Simulation } from '../../src/families.ts'
import { cidrContains } from '../../src/protocols/net/ip.ts'
import type { World } from '../kit/harness.ts'
import type { Look, Place, Probe } from './place.ts'
import { toldPath } from './stage.ts'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO1UIxKAJu9UIdqP0CQ6O3AGk3VdKXuRhKKO6bkG1YJ4 suite'

/** A world over the simulated infrastructure as a place. */
export function simulatedPlace({ api, app, settle, simulation }: World): Place {
  const look = new SimulatedLook(simulation.world, simulation.drivers.reachability)
  return {
    api,
    location: 'hel1',
    image: 'debian-12',
    type: 'cpx22',
    largerType: 'cpx32',
    publicKey,
    look,
    async settle() {
      await settle()
      look.catchUp()
    },
    reconcile: () => app.jobs.run(),
  }
}

type Files = Map<string, string>

/** What was written to the disk of a server when an image was last written to it. */
interface Disk {
  readonly installs: number
  readonly hostName: string
  readonly files: Files
}

class SimulatedLook implements Look {
  readonly #world: Simulation['world']
  readonly #reachability: Simulation['drivers']['reachability']
  readonly #disks = new Map<number, Disk>()
  readonly #images = new Map<number, Files>()
  readonly #volumes = new Map<string, Files>()

  constructor(world: Simulation['world'], reachability: Simulation['drivers']['reachability']) {
    this.#world = world
    this.#reachability = reachability
  }

  /** Notes which disks were written and copied since the last time. */
  catchUp(): void {
    for (const [id, { serverId }] of this.#world.images) {
      if (!this.#images.has(id)) this.#images.set(id, new Map(this.#disks.get(serverId)?.files))
    }
    for (const [id, { installs, state }] of this.#world.servers) {
      if (this.#disks.get(id)?.installs === installs) continue
      const told = /content: (".*")/.exec(state.userData ?? '')?.[1]
      const files: Files = new Map(this.#images.get(state.image ?? 0))
      if (told) files.set(toldPath, JSON.parse(told))
      this.#disks.set(id, { installs, hostName: state.name, files })
    }
  }

  async arrives({ from, to, protocol, port = 0 }: Probe): Promise<boolean> {
    const isPrivate = cidrContains('10.0.0.0/8', to)
    const server = isPrivate ? null : (this.#holderOf(to) ?? null)
    if (server === null && !isPrivate) return false
    const outside = to.includes(':') ? '2001:db8:ffff::9' : '9.9.9.9'
    const source = { server: from, address: from === null ? outside : null, isPrivate: false }
    const packet = {
      from: source,
      to: { server, address: to, isPrivate },
      protocol,
      port: protocol === 'tcp' || protocol === 'udp' ? port : null,
    }
    return (await this.#reachability.trace(packet, async () => undefined)).reachable
  }

  #holderOf(address: string): number | undefined {
    const leads = (owned: string | null) =>
      owned !== null && (owned.includes('/') ? cidrContains(owned, address) : owned === address)
    const all = [...this.#world.servers.values()].map(({ state }) => state)
    return all.find(({ id, ipv4, ipv6 }) => [ipv4, ipv6, ...(this.#world.routes.get(id)?.ips ?? [])].some(leads))?.id
  }

  async logIn(address: string): Promise<string | undefined> {
    const server = this.#holderOf(address)
    if (server === undefined || !(await this.arrives({ from: null, to: address, protocol: 'tcp', port: 22 }))) return
    const [, key = ''] = publicKey.split(' ')
    const isKnown = this.#server(server).state.sshKeys.some((one) => one.includes(key))
    return isKnown ? this.#disks.get(server)?.hostName : undefined
  }

  /** There are no hosts. */
  async hostOf(): Promise<undefined> {}

  async bootOf(server: number): Promise<string> {
    const { restarts, installs, changes } = this.#server(server)
    return JSON.stringify({ restarts, installs, changes })
  }

  async sizeOf(server: number) {
    const { cores, memoryMb } = this.#server(server).state
    return { cores, memoryMb }
  }

  async volumeGb(volume: number): Promise<number> {
    return this.#world.volumes.get(volume)!.sizeGb
  }

  async read(server: number, path: string): Promise<string | undefined> {
    return this.#storeOf(server, path)?.get(path)
  }

  async write(server: number, path: string, text: string): Promise<void> {
    const store = this.#storeOf(server, path)
    if (!store) throw new Error(`server ${server} has nothing at ${path}`)
    store.set(path, text)
  }

  /** The disk or the volume of a server on which a path lies; undefined for a volume that is not attached to it. */
  #storeOf(server: number, path: string): Files | undefined {
    const volume = /^\/mnt\/HC_Volume_(\d+)\//.exec(path)?.[1]
    if (volume === undefined) return this.#disks.get(server)?.files
    const attached = this.#world.attachments.get(server)?.volumes ?? []
    if (!attached.some(({ id }) => String(id) === volume)) return undefined
    if (!this.#volumes.has(volume)) this.#volumes.set(volume, new Map())
    return this.#volumes.get(volume)
  }

  /** Guests take every address that leads to them. */
  async configure(): Promise<void> {}

  async leftovers(): Promise<string[]> {
    const { servers, volumes, attachments, networks, interfaces, images, routes, filters } = this.#world
    const kinds = { servers, volumes, attachments, networks, interfaces, images, routes, filters }
    return Object.entries(kinds).flatMap(([kind, all]) => [...all.keys()].map((id) => `${kind} ${id}`))
  }

  #server(id: number) {
    const server = this.#world.servers.get(id)
    if (!server) throw new Error(`there is no server ${id}`)
    return server
  }
}
