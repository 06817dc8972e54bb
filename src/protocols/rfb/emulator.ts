/**
 * The screen of a terminal after what a program has written to it. Its state machine is that of
 * xterm, without colours, as viewers get two.
 */
import { Writable } from 'node:stream'
import type { IBuffer, IBufferCell, Terminal as Xterm } from '@xterm/headless'
import { columns, cursorMark, lines, type Screen } from './text-screen.ts'

/** Characters that have no letter in the font of screens, by what stands for them. */
const substitutes: readonly (readonly [string, string])[] = [
  ['─━═╌╍┄┅┈┉', '-'],
  ['│┃║╎╏┆┇┊┋', '|'],
  ['┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬', '+'],
  ['‘’‚′', "'"],
  ['“”„″', '"'],
  ['‐‑‒–—−', '-'],
  ['●•·∙', '*'],
  ['…', '.'],
  ['→▶', '>'],
  ['←◀', '<'],
  ['█▓▒░■', '#'],
  ['\u00a0', ' '],
]
const letters = new Map(substitutes.flatMap(([shapes, letter]) => [...shapes].map((shape) => [shape, letter] as const)))
const unknown = '?'

/**
 * Sequences that say how often something is repeated, and how often that makes sense: insert and delete lines, scroll; go on
 * or back by tabs, repeat a character. The library believes any number, and would be busy for minutes with the largest one.
 */
const mostRepeated = { L: lines, M: lines, S: lines, T: lines, I: columns, Z: columns, b: columns } as const
/** The number of bytes that are parsed at once: a reset of the terminal has two, and takes 50 us. */
const pieceBytes = 128
/** It rests so long after parsing, for each unit of time that this took: a program may write without end. */
const restShare = 3

/** Turns a text console into a screen: bytes of the console are written to it, `onReply` gets what it answers to queries. */
export class EmulatedScreen extends Writable implements Screen {
  readonly #xterm: Xterm
  readonly #listeners = new Set<() => void>()
  /** The screen that is shown, until the next change. */
  #shown: readonly string[] | undefined

  private constructor(xterm: Xterm, onReply: (text: string) => void) {
    super()
    this.#xterm = xterm
    xterm.onData(onReply)
  }

  /** Makes an empty screen; the library is loaded with the first one. */
  static async open(onReply: (text: string) => void): Promise<EmulatedScreen> {
    const { default: library } = await import('@xterm/headless')
    const xterm = new library.Terminal({ cols: columns, rows: lines, scrollback: 0, allowProposedApi: true })
    for (const [final, most] of Object.entries(mostRepeated)) {
      xterm.parser.registerCsiHandler({ final }, ([count]) => Number(count) > most)
    }
    return new EmulatedScreen(xterm, onReply)
  }

  get shown(): readonly string[] {
    this.#shown ??= draw(this.#xterm.buffer.active)
    return this.#shown
  }

  /** True when the program wants to be told of arrow keys in the way of applications. */
  get hasApplicationKeys(): boolean {
    return this.#xterm.modes.applicationCursorKeysMode
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    const begun = performance.now()
    this.#parse(bytes, () => {
      this.#shown = undefined
      for (const listener of this.#listeners) listener()
      // Whoever writes waits for this: a machine gets no more than a share of this process.
      const restMs = Math.round((performance.now() - begun) * restShare)
      if (restMs > 0) setTimeout(done, restMs)
      else done()
    })
  }

  /** Parses piece by piece; the library lets others have their turn before each. */
  #parse(bytes: Buffer, done: () => void): void {
    if (bytes.length === 0) return void done()
    this.#xterm.write(bytes.subarray(0, pieceBytes), () => this.#parse(bytes.subarray(pieceBytes), done))
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#xterm.dispose()
    done(error)
  }
}

function draw(buffer: IBuffer): readonly string[] {
  const cell = buffer.getNullCell()
  return Array.from({ length: lines }, (_, at) => {
    const line = buffer.getLine(buffer.baseY + at)
    const text = Array.from({ length: columns }, (_, column) => letterOf(line?.getCell(column, cell))).join('')
    if (at !== buffer.cursorY) return text
    // Beyond the last column the cursor waits for the next character to break the line.
    const column = Math.min(buffer.cursorX, columns - 1)
    return `${text.slice(0, column)}${cursorMark}${text.slice(column + 1)}`
  })
}

/** One UTF-16 unit that the font has a letter for. */
function letterOf(cell: IBufferCell | undefined): string {
  const chars = cell?.isInvisible() ? '' : (cell?.getChars() ?? '')
  if (chars === '') return ' '
  if (/^[ -~]$/.test(chars)) return chars
  return letters.get(chars) ?? unknown
}
