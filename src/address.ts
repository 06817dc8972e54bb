/**
 * An address at which clouds answer, one after the other. A cloud that takes the seat of another one begins with a state
 * that was taken at some moment, and nothing in memory is left of the one before.
 */
import { type Cloud, type CloudOptions, type DnsOptions, openCloud } from './cloud.ts'
import type { NameServer } from './dns/server.ts'
import type { Database } from './kernel/data/db.ts'
import { openDatabase } from './kernel/data/open.ts'
import type { CloudMounting, CloudParts, EdgeSeat } from './kernel/http/seats.ts'
import { LabClock } from './lab/clock.ts'
import type { State, Stateful } from './lab/states.ts'
import type { ListenAddress } from './protocols/net/listen-address.ts'

/** A cloud with what it was opened with. */
interface Running {
  readonly options: CloudOptions
  readonly cloud: Cloud
}

/** Mounts everything that a cloud answers with. */
export type MountAll = (mounting: CloudMounting, cloud: Cloud) => Promise<void>

export class Address implements Stateful {
  readonly #mountAll: MountAll
  #seat: EdgeSeat | undefined
  #running: Running
  /** Opens again what is beside the API, at the same addresses. */
  readonly #besides: ((cloud: Cloud) => Promise<unknown>)[] = []

  private constructor(running: Running, mountAll: MountAll) {
    this.#running = running
    this.#mountAll = mountAll
  }

  /** Opens a cloud; nothing answers or runs yet. */
  static async open(options: CloudOptions, mountAll: MountAll): Promise<Address> {
    return new Address({ options, cloud: await openCloud(options) }, mountAll)
  }

  /** The same for a cloud that begins with a state and is otherwise like another one. */
  static async from(state: State, like: CloudOptions, mountAll: MountAll): Promise<Address> {
    return new Address(await openFrom(state, like), mountAll)
  }

  get cloud(): Cloud {
    return this.#running.cloud
  }

  get options(): CloudOptions {
    return this.#running.options
  }

  /** Says where it answers. */
  take(seat: EdgeSeat): void {
    this.#seat = seat
  }

  async serveDns(at: ListenAddress, options?: DnsOptions): Promise<NameServer> {
    const server = await this.cloud.serveDns(at, options)
    this.#besides.push((cloud) => cloud.serveDns({ host: server.host, port: server.port }, options))
    return server
  }

  async serveMetadata(at: ListenAddress, prefix: string): Promise<string> {
    const url = await this.cloud.serveMetadata(at, prefix)
    const { port } = new URL(url)
    this.#besides.push((cloud) => cloud.serveMetadata({ host: at.host, port: Number(port) }, prefix))
    return url
  }

  /** All that the cloud is now. It has a lab, an infrastructure in memory and a database of its own. */
  async state(): Promise<State> {
    const { db, lab } = this.options
    const image = await db.image!()
    const { clock, infrastructure } = lab!
    const faults = this.cloud.faults!.rules.keep()
    return { image, infrastructure: infrastructure!.copy(clock), nowMs: clock.now(), mode: clock.mode, faults }
  }

  /** Lets a cloud take the seat that begins with another state. */
  async change(choose: (ended: State) => Promise<State>): Promise<void> {
    // Nobody waits for answers that faults delay, nor for time that somebody moves far.
    const stopped = this.cloud.letGo()
    await this.#seat!.change(async (mounting) => {
      const before = this.#running
      await stopped
      await before.cloud.stop()
      const ended = await this.state()
      await before.options.db.close()
      before.options.lab!.infrastructure!.end()
      try {
        return await this.#begin(await choose(ended), mounting)
      } catch (error) {
        await this.#begin(ended, mounting)
        throw error
      }
    })
  }

  async close(): Promise<void> {
    await this.cloud.stop()
    await this.options.db.close()
  }

  async #begin(state: State, mounting: CloudMounting): Promise<CloudParts> {
    this.options.lab?.recorder?.stateChanged(this.options.clock.now())
    const running = await openFrom(state, this.options)
    const { options, cloud } = running
    try {
      this.#running = running
      await this.#mountAll(mounting, cloud)
      for (const open of this.#besides) await this.#openAgain(open, cloud)
      await cloud.start()
      return cloud.parts
    } catch (error) {
      // Nothing of it may stand in the way of the one that takes its place.
      await cloud.stop()
      await options.db.close()
      throw error
    }
  }

  /** Another process may have taken the port meanwhile: the API goes on without the service. */
  async #openAgain(open: (cloud: Cloud) => Promise<unknown>, cloud: Cloud): Promise<void> {
    try {
      await open(cloud)
    } catch (err) {
      this.options.log.error({ err }, 'a service beside the API could not be opened again')
    }
  }
}

/** Opens a cloud that begins with a state and is otherwise like another one; nothing is left of one that fails. */
async function openFrom(state: State, like: CloudOptions): Promise<Running> {
  const options = await optionsOf(state, like)
  try {
    return { options, cloud: await openCloud(options) }
  } catch (error) {
    await options.db.close()
    throw error
  }
}

async function optionsOf(state: State, { lab, ...others }: CloudOptions): Promise<CloudOptions> {
  const clock = new LabClock(state.nowMs, state.mode)
  const infrastructure = state.infrastructure.copy(clock)
  const db = await (lab?.install ?? openInMemory)(state.image, clock)
  const era = (lab?.era ?? 0) + 1
  const ofLab = { ...lab, clock, infrastructure, era, faults: state.faults }
  return { ...others, db, clock, drivers: infrastructure.drivers, lab: ofLab }
}

/** Opens a database in memory that begins with an image. */
export function openInMemory(image: Uint8Array, clock: LabClock): Promise<Database> {
  const memory = { engine: 'sqlite', path: ':memory:' } as const
  return openDatabase(memory, { clock, databaseNow: clock.now, image })
}
