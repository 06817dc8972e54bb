/**
 * Makes hosts as the database wants them: what somebody else changed or lost there is made again, and what nobody knows is
 * removed, but only after the log has told of it for a while.
 */
import type { Drivers } from '../kernel/actions/define.ts'
import { inTime } from '../kernel/actions/in-time.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { nameOf, type ReconciledHosts, type Thing } from './inventory.ts'
import { kinds } from './kinds.ts'
import { type Difference, planFor } from './plan.ts'

export interface ReconcilerParts {
  readonly db: Database
  readonly secrets: Secrets
  readonly drivers: Drivers
  readonly clock: Clock
  readonly log: Logger
  readonly hosts: readonly ReconciledHosts[]
  /** The name of this installation for hosts: it removes nothing from those of another one. */
  readonly installation: string
  /** The log tells for so long that something will be removed, in milliseconds. */
  readonly graceMs: number
}

/** A thing that nobody wants, as it was seen before. */
interface Seen {
  /** The time at which the log told of it first, in milliseconds since the epoch; undefined when it was seen once. */
  readonly toldAt: number | undefined
}

const usualTimeoutMs = 60_000

export class Reconciler {
  readonly #parts: ReconcilerParts
  #orphans = new Map<string, Seen>()

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  /** Looks at all hosts and repairs what differs. One that fails does not keep the others waiting. Errors: one for all. */
  async run(): Promise<void> {
    const failures: unknown[] = []
    const seen = new Map<string, Seen>()
    for (const hosts of this.#parts.hosts) {
      await this.#reconcile(hosts, seen, failures).catch((error: unknown) => {
        failures.push(error)
        this.#remember(hosts, seen)
      })
    }
    this.#orphans = seen
    if (failures.length > 0) throw new AggregateError(failures, `hosts are not as they are wanted: ${failures[0]}`)
  }

  async #reconcile(hosts: ReconciledHosts, seen: Map<string, Seen>, failures: unknown[]): Promise<void> {
    await hosts.uphold()
    const isOwn = await this.#owns(hosts)
    const { differing, orphans } = await planFor(this.#parts.db.query, hosts)
    for (const one of differing) await this.#repair(hosts, one).catch((error: unknown) => failures.push(error))
    if (!isOwn && orphans.length > 0) {
      const { log } = this.#parts
      log.warn({ hosts: hosts.name }, 'these hosts have things of another installation, which are left alone')
      return
    }
    for (const orphan of orphans) {
      await this.#sweep(hosts, orphan, seen).catch((error: unknown) => failures.push(error))
    }
  }

  /** Hosts that could not be looked at this time have what they had, whose time goes on. */
  #remember({ name }: ReconciledHosts, seen: Map<string, Seen>): void {
    for (const [key, one] of this.#orphans) if (key.startsWith(`${name} `) && !seen.has(key)) seen.set(key, one)
  }

  /** Tells whether this installation may remove something from hosts. Whoever comes first has them. */
  async #owns(hosts: ReconciledHosts): Promise<boolean> {
    const { installation } = this.#parts
    if ((await hosts.owner()) === undefined) await hosts.claim(installation)
    return (await hosts.owner()) === installation
  }

  async #repair({ name }: ReconciledHosts, { desired, row, is }: Difference): Promise<void> {
    const { db, secrets, drivers, log } = this.#parts
    const what = { hosts: name, id: row.id }
    if (is === 'on a host that does not answer') {
      log.info(what, `one of the ${desired.title} is ${is}, and waits for it`)
      return
    }
    log.info(what, `one of the ${desired.title} is ${is} on the hosts and is handed over again`)
    const scope = { projectId: row.project_id }
    const repeated = desired.repeat({ query: db.query, scope, drivers, secrets }, row.id)
    await inTime(repeated, drivers.callTimeoutMs ?? usualTimeoutMs)
  }

  async #sweep(hosts: ReconciledHosts, orphan: Thing, seen: Map<string, Seen>): Promise<void> {
    const { clock, log, graceMs } = this.#parts
    const key = `${hosts.name} ${nameOf(orphan)}`
    const before = this.#orphans.get(key)
    // Something that is being deleted at this moment is not there the next time.
    if (!before) {
      seen.set(key, { toldAt: undefined })
      return
    }
    const toldAt = before.toldAt ?? clock.now()
    seen.set(key, { toldAt })
    const what = { hosts: hosts.name, kind: orphan.kind, id: orphan.id }
    const leftMs = toldAt + graceMs - clock.now()
    if (leftMs > 0) {
      if (before.toldAt === undefined)
        log.warn({ ...what, inSeconds: Math.ceil(leftMs / 1_000) }, 'nobody wants this; it will be removed')
      return
    }
    log.warn(what, 'nobody wants this, so it is removed')
    await kinds[orphan.kind].remove(hosts.machines, orphan.id, orphan.generation)
    seen.delete(key)
  }
}
