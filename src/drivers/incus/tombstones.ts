/**
 * What was removed, with its generation: a call that comes late must not bring it back. It is remembered in Incus itself,
 * in a profile that no instance uses, because several processes drive the same hosts. A call cannot be late by days, so
 * the memory is short.
 */

import type { Incus } from './client.ts'
import { edit } from './edit.ts'
import type { Config } from './names.ts'

const profile = 'wolke-removed'
const path = `/1.0/profiles/${profile}`
const rememberedMs = 2 * 86_400_000

export class Tombstones {
  readonly #incus: Incus
  readonly #now: () => number

  /** `now` in milliseconds since the epoch. */
  constructor(incus: Incus, now: () => number = Date.now) {
    this.#incus = incus
    this.#now = now
  }

  /** Remembers that something, such as `volume.7`, is removed. It must be called before the removal. Errors: `DriverError`. */
  async put(what: string, generation: number): Promise<void> {
    const key = `user.removed.${what}`
    const value = `${generation} ${this.#now()}`
    const change = ({ config, description }: { config: Config; description: string }) =>
      generation < generationIn(config[key])
        ? undefined
        : { description, config: { ...this.#fresh(config), [key]: value } }
    if (await edit(this.#incus, path, change)) return
    await this.#incus.change('POST', '/1.0/profiles', { name: profile, config: { [key]: value } })
  }

  /**
   * Whether a state of something comes too late, because it was removed under the same generation or a later one. Whoever
   * makes something asks before, and once more afterwards. Errors: `DriverError`.
   */
  async cover(what: string, generation: number): Promise<boolean> {
    const found = await this.#incus.get<{ config: Config }>(path)
    return generation <= generationIn(found?.value.config[`user.removed.${what}`])
  }

  #fresh(config: Config): Config {
    const oldest = this.#now() - rememberedMs
    return Object.fromEntries(Object.entries(config).filter(([, value]) => Number(value.split(' ')[1]) > oldest))
  }
}

const generationIn = (value: string | undefined) => Number(value?.split(' ')[0] ?? -1)
