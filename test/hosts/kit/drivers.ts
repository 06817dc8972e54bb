/** The drivers of a lab alone, without a server of Wolke: what they are told is told by the test. */

import { after } from 'node:test'
import { serverName } from '../../../src/drivers/hosts/names.ts'
import { type Hosts, openIncus } from '../../../src/drivers/hosts/open.ts'
import { instanceOf } from '../../../src/drivers/hosts/servers/guest.ts'
import type { ServerState } from '../../../src/families/servers/driver.ts'
import { runningClock } from '../../../src/kernel/process/clock.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import { Incus } from '../../../src/protocols/incus/client.ts'
import { exec } from '../../../src/protocols/incus/exec.ts'
import { until } from '../../kit/database/bare-database.ts'
import { emptyServer } from '../../kit/samples/server-states.ts'
import { persist } from '../../kit/samples/transient.ts'
import { clusterOf, theLab } from './cluster.ts'

/** The drivers of a lab, and the engine beneath them. */
export interface LabHosts extends Hosts {
  readonly incus: Incus
}

let opened: Promise<LabHosts> | undefined
let last = Date.now()

/** An id that nothing on the hosts ever had. */
export const newId = () => ++last

/** The drivers of all tests of this process, which end with them. */
export function labHosts(): Promise<LabHosts> {
  opened ??= open()
  return opened
}

async function open(): Promise<LabHosts> {
  const cluster = clusterOf(theLab())
  const hosts = await openIncus(cluster, { clock: runningClock(), log: openLog('silent'), directory: undefined })
  return { ...hosts, incus: new Incus(cluster.incus) }
}

after(async () => {
  const hosts = await opened
  hosts?.incus.close()
  await hosts?.close()
})

/** Servers without public addresses, which nothing filters. */
export class Servers {
  readonly hosts: LabHosts
  readonly #generations = new Map<number, number>()

  constructor(hosts: LabHosts) {
    this.hosts = hosts
  }

  /** Makes servers that run, on different hosts. */
  async run(...ids: readonly number[]): Promise<void> {
    const placementGroup = newId()
    // One after the other, since the choice of hosts is made of what is there.
    for (const id of ids) await this.apply(id, { placementGroup })
    await Promise.all(ids.map((id) => this.apply(id, { placementGroup, power: 'on' })))
    await Promise.all(ids.map((id) => this.isUp(id)))
  }

  async apply(id: number, more: Partial<ServerState> = {}): Promise<void> {
    const state = { ...this.plain(id), generation: this.next(id), ...more }
    await persist(() => this.hosts.machines.servers.apply(state))
  }

  /** A small server, without its generation. */
  plain(id: number): Omit<ServerState, 'generation'> {
    const { generation: _, ...plain } = emptyServer
    return { ...plain, id, name: `s${id}` }
  }

  /** Generations up to this one were given by the test itself. */
  skipTo(id: number, generation: number): void {
    this.#generations.set(id, generation)
  }

  /** A generation that is newer than all that were given before. */
  next(id: number): number {
    const generation = (this.#generations.get(id) ?? 0) + 1
    this.#generations.set(id, generation)
    return generation
  }

  async isUp(id: number): Promise<void> {
    await until(async () => (await this.tell(id, 'true')) === '', `server ${id} runs programs`)
  }

  /** What a shell in a server prints; undefined when it fails. */
  async tell(id: number, script: string): Promise<string | undefined> {
    const { code, stdout } = await exec(this.hosts.incus, serverName(id), ['sh', '-c', script])
    return code === 0 ? stdout.trim() : undefined
  }

  async hostOf(id: number): Promise<string | undefined> {
    return (await instanceOf(this.hosts.incus, id))?.location
  }

  async remove(...ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const generation = this.next(id)
      await persist(() => this.hosts.machines.servers.remove(id, generation, null))
    }
  }
}
