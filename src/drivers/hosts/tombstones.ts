/**
 * Remembers what was removed, with its generation: a call that comes late must not bring it back. It is noted in the
 * cluster, because several processes drive the same hosts. All notes are written with each one, so the memory is short:
 * what a call brings back that is late by hours is something that nobody wants, and is removed as such.
 */
import type { Incus } from '../../protocols/incus/client.ts'
import type { Config } from '../../protocols/incus/edit.ts'
import { editNotes, notesOf } from './notes.ts'

const rememberedMs = 6 * 3_600_000
const prefix = 'user.wolke.removed.'

export class Tombstones {
  readonly #incus: Incus
  readonly #now: () => number
  /** The last removal that was noted. Many at once would be in each other's way. */
  #last: Promise<void> = Promise.resolve()

  /** `now` in milliseconds since the epoch. */
  constructor(incus: Incus, now: () => number = Date.now) {
    this.#incus = incus
    this.#now = now
  }

  /**
   * Remembers that something, such as `server.7`, is removed. It must be called before the removal. Errors: `DriverError`.
   */
  put(what: string, generation: number): Promise<void> {
    const noted = this.#last.then(() => this.#note(`${prefix}${what}`, generation))
    this.#last = noted.catch(() => undefined)
    return noted
  }

  async #note(key: string, generation: number): Promise<void> {
    await editNotes(this.#incus, (notes) =>
      generation < generationIn(notes[key])
        ? undefined
        : { ...this.#fresh(notes), [key]: `${generation} ${this.#now()}` },
    )
  }

  /**
   * Tells whether a state of something comes too late, because it was removed under the same generation or a later one.
   * Whoever makes something asks before, and once more afterwards. Errors: `DriverError`.
   */
  async cover(what: string, generation: number): Promise<boolean> {
    return generation <= generationIn((await notesOf(this.#incus))[`${prefix}${what}`])
  }

  #fresh(notes: Config): Config {
    const oldest = this.#now() - rememberedMs
    const isKept = ([key, value]: [string, string]) => !key.startsWith(prefix) || Number(value.split(' ')[1]) > oldest
    return Object.fromEntries(Object.entries(notes).filter(isKept))
  }
}

const generationIn = (value: string | undefined) => Number(value?.split(' ')[0] ?? -1)
