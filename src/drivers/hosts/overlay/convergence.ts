/**
 * Finds out whether hosts have taken what was written: OVN counts requests in `nb_cfg`, and says in `hv_cfg` which one all
 * hosts have come to.
 */
import { DriverError } from '../../../kernel/actions/define.ts'
import { carryOut } from '../../../protocols/ovsdb/change.ts'
import type { RowChanges } from '../../../protocols/ovsdb/database.ts'
import { mutate, type Northbound, type NorthboundRow, select } from './northbound.ts'

/** A change waits so long for hosts, in milliseconds: for a host that may be gone, and for one that is known to lag. */
const patienceMs = { usual: 2_000, lagging: 100 }

const request = [mutate('NB_Global', [], [['nb_cfg', '+=', 1]]), select('NB_Global', [], ['nb_cfg'])] as const

interface Waiting {
  readonly wanted: number
  reach(): void
}

export class Convergence {
  readonly #database: Northbound
  readonly #waiting = new Set<Waiting>()
  #reached = 0
  /** A host that had not come so far in time may be gone for long. */
  #lagging = 0
  #asked: Promise<unknown> = Promise.resolve()
  #next: Promise<number> | undefined

  constructor(database: Northbound) {
    this.#database = database
  }

  /** Follows how far the hosts are. Errors: a transient `DriverError` when the database cannot be reached. */
  follow(): Promise<void> {
    return this.#database.follow({
      table: 'NB_Global',
      columns: ['hv_cfg'],
      take: (changes) => this.#take(changes),
    })
  }

  /**
   * Waits until all hosts have what is in the database now. Errors: a transient `DriverError` when one does not have it in
   * time; a host that is gone never has.
   */
  async all(timeoutMs: number): Promise<void> {
    if (await this.#reach(await this.#ask(), timeoutMs)) return
    throw new DriverError(`not all hosts have taken a change of OVN in ${timeoutMs} ms`, { transient: true })
  }

  /** Waits for the hosts that are there: one that is gone is not waited for twice. Errors: those of the database. */
  async present(): Promise<void> {
    const wanted = await this.#ask()
    const isReached = await this.#reach(wanted, this.#reached < this.#lagging ? patienceMs.lagging : patienceMs.usual)
    if (!isReached) this.#lagging = wanted
  }

  /** Lets nobody wait any longer. */
  close(): void {
    for (const { reach } of this.#waiting) reach()
  }

  /** Makes a request, which is one for all who ask before it is sent. */
  #ask(): Promise<number> {
    this.#next ??= this.#asked.then(() => {
      const request = this.#request()
      this.#next = undefined
      this.#asked = request.catch(() => undefined)
      return request
    })
    return this.#next
  }

  /** A request that was lost on its way is made again: one too many harms nobody. */
  async #request(): Promise<number> {
    const [, asked] = await carryOut(this.#database, () => this.#database.transact(request))
    return Number(asked.rows?.[0]?.nb_cfg)
  }

  /** Tells whether all hosts come so far in time. */
  #reach(wanted: number, timeoutMs: number): Promise<boolean> {
    if (this.#reached >= wanted) return Promise.resolve(true)
    return new Promise((resolve) => {
      const end = (isReached: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(isReached)
      }
      const timer = setTimeout(() => end(false), timeoutMs)
      const waiting = { wanted, reach: () => end(true) }
      this.#waiting.add(waiting)
    })
  }

  #take(changes: RowChanges<Pick<NorthboundRow<'NB_Global'>, 'hv_cfg'>>): void {
    for (const row of changes.values()) if (row) this.#reached = row.hv_cfg
    for (const { wanted, reach } of this.#waiting) if (wanted <= this.#reached) reach()
  }
}
