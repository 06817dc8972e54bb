/**
 * Users of boxes, by whom their files and programs are kept apart. A store takes them from ranges that it claims from the
 * machine, because a second store there ends and counts what is its own by them too. Its record goes where its files go.
 */
import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivate } from '../../private-folder.ts'
import { readJson, writeDurably } from './durable.ts'
import { Exclusive } from './exclusive.ts'
import type { Places } from './places.ts'
import { Refusal } from './refusal.ts'
import type { Owner, StoreLog } from './store.ts'

/** systemd gives nobody the users from here to 2,147,352,575, and neither do containers and directories of users. */
const firstUser = 1_950_000_000
const inRange = 1_000

/** What stores of one machine share. */
export interface Machine {
  /** The claims are in this directory, which lasts as long as the machine runs. */
  readonly directory: string
  /** There are so many ranges. */
  readonly ranges: number
}

const thisMachine: Machine = { directory: '/run/wolke-storage', ranges: 197_000 }

/** A store has these users: so many of its ranges, one after the other, are given to boxes. */
interface UsersRecord {
  readonly ranges: readonly number[]
  readonly given: number
}

/** The directories of stores by the first user of a range. */
type Claims = Record<number, string>

export class Users {
  readonly #places: Places
  readonly #log: StoreLog
  readonly #machine: Machine
  readonly #own: Exclusive<'owners'>
  readonly #shared: Exclusive<'lock'>

  constructor(places: Places, log: StoreLog, machine = thisMachine) {
    this.#places = places
    this.#log = log
    this.#machine = machine
    this.#own = new Exclusive((name) => join(places.locks, name))
    this.#shared = new Exclusive((name) => join(machine.directory, name))
  }

  /** Claims the users that the store has. Errors: one line for the operator where another store on this machine has them. */
  async claim(): Promise<void> {
    const { root } = this.#places
    const { ranges } = await this.#record()
    if (ranges.length === 0) return
    await this.#changeClaims(async (claims) => {
      for (const first of ranges) {
        const other = claims[first]
        if (other !== undefined && (await isOfAnother(other, first, root))) {
          throw new Error(
            `Storage Boxes in ${root} are a copy of those in ${other}: their users are the same, so one of both must go`,
          )
        }
        claims[first] = root
      }
    })
  }

  /** A user that no box on this machine has, or had in this store. Errors: a `Refusal` when there is none left. */
  next(): Promise<Owner> {
    return this.#own.run('owners', async () => {
      let { ranges, given } = await this.#record()
      const save = () => writeDurably(this.#places.users, JSON.stringify({ ranges, given } satisfies UsersRecord))
      if (given === ranges.length * inRange) {
        await this.#changeClaims(async (claims) => {
          const range = await this.#choose(claims, ranges)
          ranges = [...ranges, range]
          claims[range] = this.#places.root
          // Until it is in the record, only the lock keeps others from it.
          await save()
        })
      }
      const user = ranges[Math.floor(given / inRange)]! + (given % inRange)
      given++
      await save()
      return { uid: user, gid: user }
    })
  }

  /** Gives back what the store has claimed, as its boxes are gone. */
  async release(): Promise<void> {
    const { ranges } = await this.#record()
    if (ranges.length === 0) return
    await this.#changeClaims(async (claims) => {
      for (const first of ranges) if (claims[first] === this.#places.root) delete claims[first]
    })
  }

  async #record(): Promise<UsersRecord> {
    return (await readJson<UsersRecord>(this.#places.users)) ?? { ranges: [], given: 0 }
  }

  /** Two stores that never meet, as in two containers, have different ones too, as far as chance goes. */
  async #choose(claims: Claims, own: readonly number[]): Promise<number> {
    for (const [first, directory] of Object.entries(claims)) {
      if (!(await isOfAnother(directory, Number(first), undefined))) delete claims[Number(first)]
    }
    const free = this.#machine.ranges - Object.keys(claims).length
    if (free <= 0) throw new Refusal('There is no user left for the Storage Box.', { transient: false })
    for (;;) {
      const range = firstUser + randomInt(this.#machine.ranges) * inRange
      if (claims[range] === undefined && !own.includes(range)) return range
    }
  }

  /** Changes the claims while no other process does. Where a machine has no place for them, chance alone keeps stores apart. */
  async #changeClaims(change: (claims: Claims) => Promise<void>): Promise<void> {
    const { directory } = this.#machine
    try {
      makePrivate(directory)
    } catch (err) {
      this.#log.warn({ err, directory }, 'users of Storage Boxes are chosen at random, as none can be claimed here')
      await change({})
      return
    }
    await this.#shared.run('lock', async () => {
      const path = join(directory, 'claims.json')
      const claims = (await readJson<Claims>(path)) ?? {}
      await change(claims)
      await writeDurably(path, JSON.stringify(claims))
    })
  }
}

/** Tells whether a directory is another one than `root` and has a store with a range of users. */
async function isOfAnother(directory: string, range: number, root: string | undefined): Promise<boolean> {
  const there = statSync(directory, { throwIfNoEntry: false })
  if (!there?.isDirectory()) return false
  const here = root === undefined ? undefined : statSync(root)
  if (there.dev === here?.dev && there.ino === here.ino) return false
  const record = await readJson<UsersRecord>(join(directory, 'users.json'))
  return record?.ranges.includes(range) ?? false
}
