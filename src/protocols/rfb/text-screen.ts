/** Screens of text, and the simple one: lines that scroll, and a cursor where the next character appears. */

export const columns = 80
export const lines = 25

/** The character that stands where the cursor is. */
export const cursorMark = '\x7f'
const tabStop = 8

/** A screen that can be shown to viewers. */
export interface Screen {
  /** The lines as they are shown: `lines` of them, each of `columns` UTF-16 units. */
  readonly shown: readonly string[]
  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void
}

export class TextScreen implements Screen {
  readonly #lines: string[] = ['']
  readonly #listeners = new Set<() => void>()

  get shown(): readonly string[] {
    return Array.from({ length: lines }, (_, at) => {
      const mark = at === this.#lines.length - 1 ? cursorMark : ''
      return `${this.#lines[at] ?? ''}${mark}`.slice(0, columns).padEnd(columns)
    })
  }

  /** Writes text as a terminal does: `\n`, `\t` and `\b` have their meaning. */
  write(text: string): void {
    for (const char of text) this.#put(char)
    this.#tell()
  }

  clear(): void {
    this.#lines.splice(0, this.#lines.length, '')
    this.#tell()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #put(char: string): void {
    const last = this.#lines.length - 1
    const line = this.#lines[last]!
    if (char === '\n') return void this.#feed()
    if (char === '\b') this.#lines[last] = line.slice(0, -1)
    else if (char === '\t') this.#lines[last] = line.padEnd((Math.floor(line.length / tabStop) + 1) * tabStop)
    else if (line.length < columns) this.#lines[last] = line + char
    else {
      this.#feed()
      this.#put(char)
    }
  }

  #feed(): void {
    this.#lines.push('')
    if (this.#lines.length > lines) this.#lines.shift()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
