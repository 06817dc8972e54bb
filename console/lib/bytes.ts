/**
 * The part of Node's `Buffer` that the parsers of zone files use, for workers in browsers. A worker that imports them
 * calls `provideBytes` first.
 */

type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64'

const utf8 = new TextEncoder()
const binary = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

class Bytes extends Uint8Array {
  static override from(source: unknown, encoding?: unknown): Bytes {
    if (typeof source !== 'string') return new Bytes(source as ArrayLike<number>)
    return new Bytes(decoded(source, (encoding ?? 'utf8') as Encoding))
  }

  static alloc(length: number): Bytes {
    return new Bytes(length)
  }

  static concat(parts: readonly Uint8Array[]): Bytes {
    const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }

  static byteLength(text: string): number {
    return utf8.encode(text).length
  }

  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const part = this.subarray(start, end)
    if (encoding === 'hex') return Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join('')
    if (encoding === 'latin1') return binary(part)
    return encoding === 'base64' ? btoa(binary(part)) : new TextDecoder('utf8', { ignoreBOM: true }).decode(part)
  }

  readUInt16BE(at = 0): number {
    return this.readUIntBE(at, 2)
  }

  readUIntBE(at: number, count: number): number {
    if (at < 0 || at + count > this.length) throw new RangeError('out of range')
    return this.subarray(at, at + count).reduce((sum, byte) => sum * 256 + byte, 0)
  }

  writeUIntBE(value: number, at: number, count: number): number {
    let rest = value
    for (let index = at + count - 1; index >= at; index--) {
      this[index] = rest % 256
      rest = Math.floor(rest / 256)
    }
    return at + count
  }
}

/** Wrong digits end the text, as in Node. */
function decoded(text: string, encoding: Encoding): ArrayLike<number> {
  if (encoding === 'latin1') return Array.from(text, (char) => char.charCodeAt(0) & 0xff)
  if (encoding === 'hex') {
    const digits = /^(?:[\da-f]{2})*/i.exec(text)![0]
    return Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  }
  if (encoding === 'utf8') return utf8.encode(text)
  const digits = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/].*$/s, '')
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return Array.from(atob(whole), (char) => char.charCodeAt(0))
}

/** Makes `Buffer` known where it is not. */
export function provideBytes(): void {
  const place = globalThis as { Buffer?: unknown }
  place.Buffer ??= Bytes
}
