/**
 * Media that virtual machines can boot from beside their disks: ISOs, as volumes that the operator imports. In a pool of
 * each host's own disks, a machine boots from those of its host alone.
 */
import type { ServerState } from '../../../families/servers/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import { isMember } from '../members.ts'
import { isoName, isoPrefix, rescueName } from '../names.ts'
import type { HostsLog } from '../options.ts'

export interface MediaParts {
  readonly incus: Incus
  /** The storage pool that has the volumes. */
  readonly pool: string
  readonly log: Pick<HostsLog, 'warn'>
}

/** An ISO as Incus tells it. */
interface Medium {
  readonly name: string
  /** The member that has it; `none` or empty where all have it. */
  readonly location: string
}

/** The pause between two looks at what there is, in milliseconds. */
const lookMs = 10_000

export class Media {
  readonly #parts: MediaParts
  readonly #path: string
  #hasRescue = false
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(parts: MediaParts) {
    this.#parts = parts
    this.#path = `/1.0/storage-pools/${encodeURIComponent(parts.pool)}/volumes/custom?recursion=1&filter=content_type%20eq%20iso`
  }

  /** Looks at what there is, from now on every few seconds. Errors: `DriverError`. */
  async open(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => this.#lookAgain(), lookMs)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** True when any host had the rescue system at the last look, some seconds ago. */
  get hasRescue(): boolean {
    return this.#hasRescue
  }

  /**
   * The names of all ISOs that are for servers, each with the hosts that have it; none for one that all have. Errors:
   * `DriverError`.
   */
  async hostsByName(): Promise<ReadonlyMap<string, readonly string[]>> {
    const all = await this.#parts.incus.list<Medium>(this.#path)
    const forServers = all.filter(({ name }) => name === rescueName || name.startsWith(isoPrefix))
    const byName = Map.groupBy(forServers, ({ name }) => name)
    return new Map([...byName].map(([name, copies]) => [name, copies.map(({ location }) => location).filter(isMember)]))
  }

  /**
   * Makes sure that a server can boot from what it is to boot from. Errors: a permanent `DriverError` when its host does not
   * have that, for any host when `host` is undefined.
   */
  async need({ iso, rescue }: Pick<ServerState, 'iso' | 'rescue'>, host: string | undefined): Promise<void> {
    if (iso === null && rescue === null) return
    const there = await this.hostsByName()
    const lacks = (name: string) => {
      const hosts = there.get(name)
      return !hosts || (hosts.length > 0 && host !== undefined && !hosts.includes(host))
    }
    const missing = [
      ...(iso !== null && lacks(isoName(iso)) ? [`ISO ${iso}`] : []),
      ...(rescue !== null && lacks(rescueName) ? ['the rescue system'] : []),
    ]
    if (missing.length === 0) return
    const who = host === undefined || !isMember(host) ? 'the hosts do' : `the host ${host} does`
    const message = `${who} not have ${missing.join(' and ')}`
    throw new DriverError(message, { transient: false, code: 'resource_unavailable' })
  }

  async #look(): Promise<void> {
    this.#hasRescue = (await this.hostsByName()).has(rescueName)
  }

  #lookAgain(): void {
    this.#looking ??= this.#look()
      .catch((err: unknown) => this.#parts.log.warn({ err }, 'The ISOs on the hosts cannot be listed'))
      .finally(() => {
        this.#looking = undefined
      })
  }
}
