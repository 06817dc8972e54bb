/**
 * Properties that clients of WebDAV give to files and that mean nothing to the server. They are kept beside the boxes, as no
 * file system has them everywhere; what another door moves or removes loses them.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Elements as text, by `{namespace}name`. */
export type Properties = Readonly<Record<string, string>>

const mostBytes = 1 << 20

export class DeadProperties {
  readonly #folder: string
  readonly #boxes = new Map<number, Record<string, Properties>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  #of(box: number): Record<string, Properties> {
    let all = this.#boxes.get(box)
    if (!all) {
      all = read(this.#path(box))
      this.#boxes.set(box, all)
    }
    return all
  }

  at(box: number, path: string): Properties {
    const all = this.#of(box)
    return Object.hasOwn(all, path) ? all[path]! : {}
  }

  /** Returns false when the box has as many as it may have. */
  set(box: number, path: string, properties: Properties): boolean {
    const all: Record<string, Properties> = { ...this.#of(box), [path]: properties }
    if (Object.keys(properties).length === 0) delete all[path]
    return this.#write(box, all)
  }

  remove(box: number, path: string): void {
    const all = this.#of(box)
    const left = Object.entries(all).filter(([at]) => at !== path && !at.startsWith(`${path}/`))
    if (left.length < Object.keys(all).length) this.#write(box, Object.fromEntries(left))
  }

  copy(box: number, from: string, to: string): void {
    this.remove(box, to)
    const all = this.#of(box)
    const copied = Object.entries(all)
      .filter(([at]) => at === from || at.startsWith(`${from}/`))
      .map(([at, properties]) => [to + at.slice(from.length), properties])
    if (copied.length > 0) this.#write(box, { ...all, ...Object.fromEntries(copied) })
  }

  /** Forgets a box. */
  forget(box: number): void {
    this.#boxes.delete(box)
    rmSync(this.#path(box), { force: true })
  }

  #path(box: number): string {
    return join(this.#folder, `${box}.json`)
  }

  #write(box: number, all: Record<string, Properties>): boolean {
    const text = JSON.stringify(all)
    if (text.length > mostBytes) return false
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${this.#path(box)}.new`, text, { mode: 0o600 })
    renameSync(`${this.#path(box)}.new`, this.#path(box))
    this.#boxes.set(box, all)
    return true
  }
}

function read(path: string): Record<string, Properties> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
