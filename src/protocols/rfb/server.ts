/**
 * A server of the RFB protocol that shows a text screen, from ClientInit on (RFC 6143, 7.3.1 to 7.6). A stream: what the
 * viewer sends is written to it, and what the viewer gets is read from it. Updates are sent when the viewer has asked for
 * them and reads what it was sent, so that nothing gathers here.
 */
import { Duplex } from 'node:stream'
import { cell, letter } from './font.ts'
import { offeredFormat, palette, pixelsOf, readPixelFormat, writePixelFormat } from './pixels.ts'
import { columns, lines, type Screen } from './text-screen.ts'

/** The screen that a viewer sees and types on. */
export interface Terminal {
  readonly name: string
  readonly screen: Screen
  /** A key, as an X11 keysym, went down or up. */
  key(keysym: number, isDown: boolean): void
}

const encodings = { raw: 0, rre: 2 } as const

/** Messages of the viewer by their types: how many bytes their fixed part has. */
const lengths: Readonly<Record<number, number>> = { 0: 20, 2: 4, 3: 10, 4: 8, 5: 6, 6: 8 }
/** Texts that the viewer has copied are not used, but they have to be read over. */
const maxTextBytes = 1024 * 1024
/** The number of messages that are read before others have their turn. */
const messagesAtOnce = 64
/** More than there are; the list is waited for in memory. */
const maxEncodings = 1_024

/** Cells from the first line and column up to, and without, the last ones. */
interface Area {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

export class RfbServer extends Duplex {
  readonly #terminal: Terminal
  readonly #stopWatching: () => void
  #received: Buffer = Buffer.alloc(0)
  /** Bytes of the viewer that are still to be ignored. */
  #skipped = 0
  #isInitialized = false
  #pixels = pixelsOf(offeredFormat)
  #encoding: number = encodings.raw
  /** The update that the viewer has asked for and was not sent yet. */
  #asked: Area | undefined
  /** The lines that the viewer knows; what it knows nothing of is empty. */
  #known: string[] = []
  #mayPush = false
  /** Set while messages wait for the viewer to read what it was sent. */
  #goOn: (() => void) | undefined

  constructor(terminal: Terminal) {
    super()
    this.#terminal = terminal
    this.#stopWatching = terminal.screen.onChange(() => this.#update())
  }

  /** Ends the connection. */
  close(): void {
    this.#stopWatching()
    if (!this.readableEnded) this.push(null)
  }

  override _read(): void {
    this.#mayPush = true
    this.#update()
    const goOn = this.#goOn
    this.#goOn = undefined
    goOn?.()
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#received = Buffer.concat([this.#received, bytes])
    this.#readAll().then(() => {
      if (this.readableLength < this.readableHighWaterMark) done()
      else this.#goOn = done
    }, done)
  }

  /** Reads all messages that are there, in turns with other work: there may be thousands. */
  async #readAll(): Promise<void> {
    for (let count = 1; !this.destroyed && this.#readMessage(); count++) {
      if (count % messagesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  override _final(done: () => void): void {
    this.close()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stopWatching()
    done(error)
  }

  /** Reads one message if all of it is there. Throws at what is no message. */
  #readMessage(): boolean {
    const skipped = Math.min(this.#skipped, this.#received.length)
    this.#skipped -= skipped
    this.#received = this.#received.subarray(skipped)
    if (this.#received.length === 0) return false
    const length = this.#isInitialized ? lengths[this.#received[0]!] : 1
    if (length === undefined) throw new Error(`the viewer sent a message of the unknown type ${this.#received[0]}`)
    if (this.#received.length < length) return false
    const message = this.#received.subarray(0, length)
    if (!this.#isInitialized) this.#initialize()
    else if (message[0] === 2) return this.#setEncodings(message.readUInt16BE(2))
    else this.#obey(message)
    this.#received = this.#received.subarray(length)
    return true
  }

  /** The viewer has said whether it shares the screen, which everybody does here. */
  #initialize(): void {
    this.#isInitialized = true
    const name = Buffer.from(this.#terminal.name)
    const size = Buffer.alloc(4)
    size.writeUInt16BE(columns * cell.width, 0)
    size.writeUInt16BE(lines * cell.height, 2)
    this.#send([size, writePixelFormat(offeredFormat), number(name.length), name])
  }

  #obey(message: Buffer): void {
    switch (message[0]) {
      case 0:
        this.#setPixelFormat(message.subarray(4))
        break
      case 3:
        this.#ask(message)
        break
      case 4:
        this.#terminal.key(message.readUInt32BE(4), message[1] !== 0)
        break
      case 6:
        this.#skipped = message.readUInt32BE(4)
        if (this.#skipped > maxTextBytes) throw new Error('the viewer has copied too much text')
        break
    }
  }

  #setPixelFormat(bytes: Buffer): void {
    const format = readPixelFormat(bytes)
    if (!format) throw new Error('the viewer wants pixels of an impossible format')
    this.#pixels = pixelsOf(format)
    this.#known = []
    if (format.colors) return
    const colors = Buffer.alloc(6 + palette.length * 6)
    colors[0] = 1
    colors.writeUInt16BE(palette.length, 4)
    for (const [index, rgb] of palette.entries()) {
      for (const [at, value] of rgb.entries()) colors.writeUInt16BE(value * 257, 6 + index * 6 + at * 2)
    }
    this.#send([colors])
  }

  /** Takes the more compact of the two encodings if the viewer knows it. */
  #setEncodings(count: number): boolean {
    if (count > maxEncodings) throw new Error('the viewer knows too many encodings')
    const length = 4 + count * 4
    if (this.#received.length < length) return false
    const known = Array.from({ length: count }, (_, at) => this.#received.readInt32BE(4 + at * 4))
    this.#encoding = known.includes(encodings.rre) ? encodings.rre : encodings.raw
    this.#received = this.#received.subarray(length)
    return true
  }

  #ask(message: Buffer): void {
    const [x, y, width, height] = [2, 4, 6, 8].map((at) => message.readUInt16BE(at)) as [number, number, number, number]
    const area = {
      top: Math.floor(y / cell.height),
      left: Math.floor(x / cell.width),
      bottom: Math.min(lines, Math.ceil((y + height) / cell.height)),
      right: Math.min(columns, Math.ceil((x + width) / cell.width)),
    }
    if (message[1] === 0) this.#forget(area)
    this.#asked = this.#asked ? around(this.#asked, area) : area
    this.#update()
  }

  /** The viewer wants to be sent an area whether or not it has changed. */
  #forget({ top, left, bottom, right }: Area): void {
    for (let line = top; line < bottom; line++) {
      const known = (this.#known[line] ?? '').padEnd(columns, '\0')
      this.#known[line] = known.slice(0, left) + '\0'.repeat(Math.max(0, right - left)) + known.slice(right)
    }
  }

  /** Sends what has changed in the area that was asked for, if anything has and the viewer reads. */
  #update(): void {
    if (!this.#asked || !this.#mayPush || this.destroyed) return
    const shown = this.#terminal.screen.shown
    const changed = changes(this.#known, shown, this.#asked)
    if (changed.length === 0) return
    this.#asked = undefined
    const header = Buffer.alloc(4)
    header.writeUInt16BE(changed.length, 2)
    this.#send([header, ...changed.flatMap((area) => this.#rectangle(shown[area.top]!, area))])
    for (const { top, left, right } of changed) {
      const known = (this.#known[top] ?? '').padEnd(columns, '\0')
      this.#known[top] = known.slice(0, left) + shown[top]!.slice(left, right) + known.slice(right)
    }
  }

  /** A part of one line as a rectangle. */
  #rectangle(line: string, { top, left, right }: Area): Buffer[] {
    const header = Buffer.alloc(12)
    header.writeUInt16BE(left * cell.width, 0)
    header.writeUInt16BE(top * cell.height, 2)
    header.writeUInt16BE((right - left) * cell.width, 4)
    header.writeUInt16BE(cell.height, 6)
    header.writeInt32BE(this.#encoding, 8)
    const runs = [...line.slice(left, right)].flatMap((char, at) =>
      letter(char).map((run) => ({ ...run, x: run.x + at * cell.width })),
    )
    const [paper, ink] = this.#pixels as [Buffer, Buffer]
    if (this.#encoding === encodings.rre) return [header, number(runs.length), paper, ...runs.map(subrectangle(ink))]
    const pixels = Buffer.alloc((right - left) * cell.width * cell.height * paper.length, paper)
    for (const { x, y, width, height } of runs) {
      for (let row = y; row < y + height; row++) {
        const from = (row * (right - left) * cell.width + x) * ink.length
        pixels.fill(ink, from, from + width * ink.length)
      }
    }
    return [header, pixels]
  }

  #send(parts: readonly Buffer[]): void {
    this.#mayPush = this.push(Buffer.concat(parts))
  }
}

function subrectangle(ink: Buffer) {
  return ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => {
    const place = Buffer.alloc(8)
    for (const [at, value] of [x, y, width, height].entries()) place.writeUInt16BE(value, 2 * at)
    return Buffer.concat([ink, place])
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function around(one: Area, other: Area): Area {
  return {
    top: Math.min(one.top, other.top),
    left: Math.min(one.left, other.left),
    bottom: Math.max(one.bottom, other.bottom),
    right: Math.max(one.right, other.right),
  }
}

/** For each line, the part of an area from the first cell that differs to the last one. */
function changes(known: readonly string[], shown: readonly string[], area: Area): Area[] {
  const found: Area[] = []
  for (let top = area.top; top < area.bottom; top++) {
    const [before = '', after] = [known[top], shown[top]!]
    let { left, right } = area
    while (left < right && before[left] === after[left]) left++
    while (right > left && before[right - 1] === after[right - 1]) right--
    if (left < right) found.push({ top, left, bottom: top + 1, right })
  }
  return found
}
