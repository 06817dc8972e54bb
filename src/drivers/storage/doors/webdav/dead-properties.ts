/**
 * Properties that clients of WebDAV give to files and that mean nothing to the server. They are kept beside the boxes, as no
 * file system has them everywhere; what another door moves or removes loses them. Several servers share them.
 */
import { rmSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing, writeDurably } from '../../store/durable.ts'
import { Exclusive } from '../../store/exclusive.ts'

/** Elements as text, by `{namespace}name`. */
export type Properties = Readonly<Record<string, string>>

/** The properties of all files of a box that have some, by their paths. */
export type BoxProperties = Readonly<Record<string, Properties>>

const mostBytes = 1 << 20
/** The properties of so many boxes are remembered. */
const mostBoxes = 32

/** Whether a path is another one or below it. */
const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

export const propertiesAt = (all: BoxProperties, path: string): Properties =>
  Object.hasOwn(all, path) ? all[path]! : {}

export class DeadProperties {
  readonly #folder: string
  readonly #report: (message: string, fields: object) => void
  readonly #changes: Exclusive<number>
  /** What was read, with the file that it was read from: each change makes another one. */
  readonly #read = new Map<number, { readonly file: string; readonly all: BoxProperties }>()

  constructor(folder: string, report: (message: string, fields: object) => void) {
    this.#folder = folder
    this.#report = report
    this.#changes = new Exclusive((box) => join(folder, `${box}.lock`))
  }

  /** All that a box has at the moment. Errors: of the file system. */
  async of(box: number): Promise<BoxProperties> {
    const found = await unlessMissing(stat(this.#path(box), { bigint: true }))
    if (!found) return {}
    const file = `${found.ino} ${found.mtimeNs} ${found.size}`
    const known = this.#read.get(box)
    if (known?.file === file) return known.all
    const all = this.#parse(box, (await unlessMissing(readFile(this.#path(box), 'utf8'))) ?? '{}')
    const [oldest] = this.#read.keys()
    if (oldest !== undefined && this.#read.size >= mostBoxes) this.#read.delete(oldest)
    this.#read.set(box, { file, all })
    return all
  }

  /**
   * Changes the properties of a file; they are on disk when this returns. Returns false when the box has as many as it may
   * have. Errors: of the file system.
   */
  set(box: number, path: string, change: (before: Properties) => Properties): Promise<boolean> {
    return this.#change(box, (all) => {
      const { [path]: _, ...others } = all
      const properties = change(propertiesAt(all, path))
      return Object.keys(properties).length === 0 ? others : { ...others, [path]: properties }
    })
  }

  /** Forgets those of a file that is no more, and of all below it. Errors: of the file system. */
  async remove(box: number, path: string): Promise<void> {
    await this.#change(box, (all) => without(all, path))
  }

  /** Gives those of a file, and of all below it, to a copy in the place of what was there. Errors: of the file system. */
  async copy(box: number, from: string, to: string): Promise<void> {
    await this.#change(box, (all) => {
      const copied = Object.entries(all).flatMap(([at, properties]) =>
        isIn(at, from) ? [[to + at.slice(from.length), properties] as const] : [],
      )
      return copied.length > 0 ? { ...without(all, to), ...Object.fromEntries(copied) } : without(all, to)
    })
  }

  /** Forgets a box. */
  forget(box: number): void {
    this.#read.delete(box)
    for (const path of [this.#path(box), `${this.#path(box)}.new`, join(this.#folder, `${box}.lock`)])
      rmSync(path, { force: true })
  }

  close(): void {
    this.#changes.close()
  }

  #path(box: number): string {
    return join(this.#folder, `${box}.json`)
  }

  /** `change` returns what it was given where there is nothing to change, as with most files. */
  async #change(box: number, change: (all: BoxProperties) => BoxProperties): Promise<boolean> {
    const before = await this.of(box)
    if (change(before) === before) return true
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return this.#changes.run(box, async () => {
      const text = JSON.stringify(change(await this.of(box)))
      if (text.length > mostBytes) return false
      await writeDurably(this.#path(box), text)
      return true
    })
  }

  #parse(box: number, text: string): BoxProperties {
    try {
      return JSON.parse(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.#report('properties that clients gave to files are lost, as they cannot be read', {
        box,
        reason: error.message,
      })
      return {}
    }
  }
}

/** All but those of a path and of what is below it; the same where there are none. */
function without(all: BoxProperties, path: string): BoxProperties {
  const left = Object.entries(all).filter(([at]) => !isIn(at, path))
  return left.length < Object.keys(all).length ? Object.fromEntries(left) : all
}
