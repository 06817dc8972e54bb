/** What a client of the fuzzer knows: the resources that answers showed, and what valid requests said in each field. */
import { familyOfType } from '../../src/families.ts'
import type { Answer } from '../../test/kit/harness.ts'
import type { Shown } from '../../test/kit/proof.ts'
import type { Random } from '../random.ts'

/** How many of a kind are remembered, the newest. */
const most = 30

function remember<T>(all: Map<string, T[]>, key: string, one: T): void {
  all.set(key, [...(all.get(key) ?? []).slice(1 - most), one])
}

export class Seen {
  readonly #resources: Map<string, Shown[]>
  readonly #values = new Map<string, unknown[]>()

  /** Starts with some resources, by the path of their family. */
  constructor(base: ReadonlyMap<string, Shown[]>) {
    this.#resources = new Map(base)
  }

  /** A resource of a family. */
  any(family: string, random: Random): Shown | undefined {
    const all = this.#resources.get(family) ?? []
    return all.length === 0 ? undefined : random.pick(all)
  }

  /** The id of a resource of a family, or one that may be nothing's. */
  id(family: string, random: Random): number {
    const found = random.chance(0.9) ? this.any(family, random) : undefined
    return found?.id ?? random.below(1_000_000)
  }

  /** What a valid request said in a field of this name; undefined when none did. */
  value(name: string, random: Random): unknown {
    const all = this.#values.get(name) ?? []
    return all.length === 0 ? undefined : random.pick(all)
  }

  /** Takes in the resources in an answer: `server: {...}`, `servers: [...]`, `actions: [...]`. */
  noteAnswer(body: Answer['body']): void {
    for (const [key, value] of Object.entries(body ?? {})) {
      for (const one of [value].flat() as (Partial<Shown> | null)[]) {
        if (typeof one?.id === 'number') remember(this.#resources, familyOfType(key), one as Shown)
      }
    }
  }

  /** Takes in what a valid request says, by the names of its fields at any depth. */
  noteRequest(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      if (!Array.isArray(value)) remember(this.#values, name, part)
      this.noteRequest(part)
    }
  }
}
