/**
 * A small VNC viewer for tests (RFC 6143), over a WebSocket: it logs in, keeps a picture of the screen, reads the letters
 * in it, and types. It shares nothing with the server but the shapes of the letters, as an eye does.
 */
import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { cell, letter } from '../../src/protocols/rfb/font.ts'

export interface ViewerOptions {
  readonly version?: '003.003' | '003.007' | '003.008'
  readonly encoding?: 'raw' | 'rre'
  /** Bits of a pixel; 8 is a table of colours. */
  readonly depth?: 8 | 16 | 32
}

const pointSize = { 8: 1, 16: 2, 32: 4 } as const

/** How the viewer was not let in. */
export class Refused extends Error {}

/** Bytes of a WebSocket, read in pieces of any length. */
class Bytes {
  readonly #socket: WebSocket
  #buffer = Buffer.alloc(0)
  #isOver = false
  #wake: () => void = () => undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, data])
      this.#wake()
    })
    socket.on('close', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  /** The next bytes. Throws when the connection ends before they have come. */
  async read(length: number): Promise<Buffer> {
    while (this.#buffer.length < length) {
      if (this.#isOver) throw new Error('the connection has ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const bytes = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return bytes
  }

  write(bytes: Buffer): void {
    this.#socket.send(bytes)
  }
}

/** Opens a console. Errors: `Refused` with the status of the answer, or with what the server says of the password. */
export async function view(url: string, password: string, options: ViewerOptions = {}): Promise<Viewer> {
  const socket = new WebSocket(url)
  const refusal = Promise.withResolvers<never>()
  socket.on('unexpected-response', (_request, response) => {
    refusal.reject(new Refused(String(response.statusCode)))
    socket.terminate()
  })
  socket.on('error', (error) => refusal.reject(error))
  const bytes = new Bytes(socket)
  await Promise.race([once(socket, 'open'), refusal.promise])
  await logIn(bytes, password, options.version ?? '003.008')
  const viewer = new Viewer(socket, bytes, options)
  await viewer.begin()
  return viewer
}

async function logIn(bytes: Bytes, password: string, version: string): Promise<void> {
  if ((await bytes.read(12)).toString() !== 'RFB 003.008\n') throw new Error('this is no RFB server')
  bytes.write(Buffer.from(`RFB ${version}\n`))
  if (version === '003.003') {
    if ((await bytes.read(4)).readUInt32BE() !== 2) throw new Error('not VNC authentication')
  } else {
    const [count] = await bytes.read(1)
    if (!(await bytes.read(count!)).includes(2)) throw new Error('no VNC authentication')
    bytes.write(Buffer.from([2]))
  }
  bytes.write(encrypt(password, await bytes.read(16)))
  if ((await bytes.read(4)).readUInt32BE() === 0) return
  if (version !== '003.008') throw new Refused('no reason')
  const length = (await bytes.read(4)).readUInt32BE()
  throw new Refused((await bytes.read(length)).toString())
}

function encrypt(password: string, challenge: Buffer): Buffer {
  const key = Buffer.from(password.slice(0, 8).padEnd(8, '\0'), 'latin1').map((byte) =>
    Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2),
  )
  return createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null)
    .setAutoPadding(false)
    .update(challenge)
}

const letters = new Map(
  Array.from({ length: 96 }, (_, at) => String.fromCharCode(32 + at)).map((char) => [drawn(char), char]),
)

/** A letter as text: a line of `#` and `.` for each row of its cell. */
function drawn(char: string): string {
  const rows = Array.from({ length: cell.height }, () => Array.from({ length: cell.width }, () => '.'))
  for (const { x, y, width, height } of letter(char)) {
    for (let row = y; row < y + height; row++) rows[row]!.fill('#', x, x + width)
  }
  return rows.map((row) => row.join('')).join('\n')
}

export class Viewer {
  readonly #socket: WebSocket
  readonly #bytes: Bytes
  readonly #options: Required<Omit<ViewerOptions, 'version'>>
  #size = { width: 0, height: 0 }
  #pixels: number[] = []
  /** The pixels that are letters. */
  #ink = 0
  readonly #colors: number[] = []

  constructor(socket: WebSocket, bytes: Bytes, { encoding = 'raw', depth = 32 }: ViewerOptions) {
    this.#socket = socket
    this.#bytes = bytes
    this.#options = { encoding, depth }
  }

  /** Says what kind of picture it wants, and gets the first one. */
  async begin(): Promise<void> {
    this.#bytes.write(Buffer.from([1]))
    const init = await this.#bytes.read(24)
    this.#size = { width: init.readUInt16BE(0), height: init.readUInt16BE(2) }
    await this.#bytes.read(init.readUInt32BE(20))
    this.#pixels = Array.from({ length: this.#size.width * this.#size.height }, () => 0)
    this.#bytes.write(this.#formatMessage())
    this.#bytes.write(Buffer.from([2, 0, 0, 2, 0, 0, 0, this.#options.encoding === 'rre' ? 2 : 0, 0, 0, 0, 0]))
    await this.#update(false)
  }

  /** What stands on the screen, without the space at the ends of lines and the empty lines at the end. */
  get text(): string {
    const lines: string[] = []
    for (let y = 0; y < this.#size.height; y += cell.height) {
      let line = ''
      for (let x = 0; x < this.#size.width; x += cell.width) line += letters.get(this.#cellAt(x, y)) ?? '\ufffd'
      lines.push(line.replace('\x7f', '').trimEnd())
    }
    return lines.join('\n').trimEnd()
  }

  /** Waits until the screen shows a text, and returns what stands on it. */
  async shows(text: string | RegExp): Promise<string> {
    while (!(typeof text === 'string' ? this.text.includes(text) : text.test(this.text))) await this.#update(true)
    return this.text
  }

  /** Types text; a line break is the Enter key. */
  type(text: string): void {
    for (const char of text) this.press(char === '\n' ? 0xff0d : char.charCodeAt(0))
  }

  /** Presses and releases keys, the last ones first. */
  press(...keysyms: readonly number[]): void {
    const events = [...keysyms.map((key) => [key, 1]), ...keysyms.toReversed().map((key) => [key, 0])]
    for (const [key, isDown] of events as [number, number][]) {
      const message = Buffer.from([4, isDown, 0, 0, 0, 0, 0, 0])
      message.writeUInt32BE(key, 4)
      this.#bytes.write(message)
    }
  }

  send(bytes: Buffer): void {
    this.#bytes.write(bytes)
  }

  /** Waits until the server has ended the connection; returns the code of the end. */
  async ended(): Promise<number> {
    if (this.#socket.readyState === WebSocket.CLOSED) return 0
    const [code] = await once(this.#socket, 'close')
    return code as number
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.ended()
  }

  /** Stops reading what the server sends. */
  pause(): void {
    this.#socket.pause()
  }

  #cellAt(x: number, y: number): string {
    const rows = Array.from({ length: cell.height }, (_, row) => {
      const from = (y + row) * this.#size.width + x
      return this.#pixels.slice(from, from + cell.width)
    })
    return rows.map((row) => row.map((pixel) => (pixel === this.#ink ? '#' : '.')).join('')).join('\n')
  }

  /** Red has 5 bits in pixels of 16, green 6, blue 5; the bigger end comes first. */
  #formatMessage(): Buffer {
    const format = {
      8: [8, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      16: [16, 16, 1, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0],
      32: [32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0],
    }[this.#options.depth]
    this.#ink = { 8: 1, 16: (21 << 11) | (42 << 5) | 21, 32: 0xaaaaaa }[this.#options.depth]
    return Buffer.from([0, 0, 0, 0, ...format, 0, 0, 0])
  }

  #pixelIn(bytes: Buffer): number {
    if (this.#options.depth === 8) return bytes[0]!
    return this.#options.depth === 16 ? bytes.readUInt16BE() : bytes.readUInt32LE()
  }

  async #update(isIncremental: boolean): Promise<void> {
    const request = Buffer.from([3, isIncremental ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0])
    request.writeUInt16BE(this.#size.width, 6)
    request.writeUInt16BE(this.#size.height, 8)
    this.#bytes.write(request)
    while ((await this.#bytes.read(1))[0] === 1) await this.#readColors()
    const count = (await this.#bytes.read(3)).readUInt16BE(1)
    for (let at = 0; at < count; at++) await this.#readRectangle()
  }

  async #readColors(): Promise<void> {
    const head = await this.#bytes.read(5)
    const colors = await this.#bytes.read(6 * head.readUInt16BE(3))
    for (let at = 0; at < colors.length; at += 6) this.#colors.push(colors.readUInt16BE(at))
    this.#ink = this.#colors.indexOf(Math.max(...this.#colors))
  }

  async #readRectangle(): Promise<void> {
    const head = await this.#bytes.read(12)
    const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number]
    const size = pointSize[this.#options.depth]
    const expected = this.#options.encoding === 'rre' ? 2 : 0
    if (head.readInt32BE(8) !== expected) throw new Error(`the server encodes with ${head.readInt32BE(8)}`)
    if (expected === 0) {
      const pixels = await this.#bytes.read(width * height * size)
      for (let at = 0; at < width * height; at++) {
        const pixel = this.#pixelIn(pixels.subarray(at * size))
        this.#fill(x + (at % width), y + Math.floor(at / width), 1, 1, pixel)
      }
      return
    }
    const count = (await this.#bytes.read(4)).readUInt32BE()
    this.#fill(x, y, width, height, this.#pixelIn(await this.#bytes.read(size)))
    const parts = await this.#bytes.read(count * (size + 8))
    for (let at = 0; at < parts.length; at += size + 8) {
      const [left, top, across, down] = [0, 2, 4, 6].map((more) => parts.readUInt16BE(at + size + more)) as number[]
      this.#fill(x + left!, y + top!, across!, down!, this.#pixelIn(parts.subarray(at)))
    }
  }

  #fill(x: number, y: number, width: number, height: number, pixel: number): void {
    for (let row = y; row < y + height; row++) {
      const from = row * this.#size.width + x
      this.#pixels.fill(pixel, from, from + width)
    }
  }
}
