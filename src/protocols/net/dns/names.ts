/**
 * Domain names in presentation format and in wire format. A wire name is a string with one character per byte (length,
 * label, length, label, ..., 0), which is cheap to compare, to cut and to use as a key.
 */

/** Limits in bytes of a name in wire format with its closing zero, and of a label (RFC 1035, 2.3.4). */
export const maxNameBytes = 255
const maxLabelBytes = 63

/** A wire name with its ASCII letters in lower case: names are equal when their keys are (RFC 4343). */
export type NameKey = string

export const rootName: NameKey = '\0'

/** The same name in lower case. Length bytes stay as they are, because none of them is a letter. */
export function lowerName(wire: string): NameKey {
  return /[A-Z]/.test(wire) ? wire.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : wire
}

/** The name without its first label; undefined for the root. */
export function parentName(wire: string): string | undefined {
  return wire.length === 1 ? undefined : wire.slice(wire.charCodeAt(0) + 1)
}

/** Iterates from a name up to its topmost ancestor below the root. */
export function* selfAndParents(wire: string): Generator<string> {
  for (let at = 0; at < wire.length - 1; at += wire.charCodeAt(at) + 1) yield wire.slice(at)
}

/** The wildcard directly below a name. */
export const wildcardBelow = (name: NameKey): NameKey => `\x01*${name}`

/** Tells whether a name is `ancestor` or below it. */
export function isWithin(name: NameKey, ancestor: NameKey): boolean {
  if (!name.endsWith(ancestor)) return false
  let at = 0
  while (at < name.length - ancestor.length) at += name.charCodeAt(at) + 1
  return at === name.length - ancestor.length
}

/** Bytes of a text, or a message that continues a sentence about it. */
export type UnescapedResult =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly message: string }

const backslash = 0x5c
let noBytes: Buffer | undefined
/** Characters that one byte takes at most, as in `\065`. */
const mostPerByte = 4

/**
 * Resolves the escapes `\.` and `\065` and encodes other characters in UTF-8. What is longer than `mostBytes` in any
 * spelling is refused before any escape is looked at.
 */
export function unescaped(text: string, mostBytes: number): UnescapedResult {
  const tooLong = { ok: false, message: `has more than ${mostBytes} bytes` } as const
  if (text.length > mostPerByte * mostBytes) return tooLong
  if (text === '') {
    noBytes ??= Buffer.alloc(0)
    return { ok: true, bytes: noBytes }
  }
  const bytes = text.includes('\\') ? resolved(Buffer.from(text)) : Buffer.from(text)
  if (!bytes) return { ok: false, message: 'has a malformed escape' }
  return bytes.length > mostBytes ? tooLong : { ok: true, bytes }
}

/** Resolves the escapes in place; undefined when one is malformed. */
function resolved(bytes: Buffer): Buffer | undefined {
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const isEscape = bytes[at] === backslash
    if (isEscape && ++at === bytes.length) return undefined
    if (isEscape && digitAt(bytes, at) >= 0) {
      const [second, third] = [digitAt(bytes, at + 1), digitAt(bytes, at + 2)]
      const value = 100 * digitAt(bytes, at) + 10 * second + third
      if (second < 0 || third < 0 || value > 255) return undefined
      bytes[end++] = value
      at += 2
    } else bytes[end++] = bytes[at]!
  }
  return bytes.subarray(0, end)
}

/** The value of a decimal digit; negative for anything else. */
function digitAt(bytes: Buffer, at: number): number {
  const value = (bytes[at] ?? 0) - 0x30
  return value > 9 ? -1 : value
}

/** A parsed name, or a message about its text. */
export type NameResult = { readonly ok: true; readonly wire: string } | { readonly ok: false; readonly message: string }

const refuse = (message: string): NameResult => ({ ok: false, message })

/**
 * Parses a name in presentation format: absolute with a trailing dot, otherwise relative to `origin` (a wire name),
 * which `@` stands for. Labels may have any byte, but others than printable ASCII only as escapes (`\\032`, or a
 * backslash before a space), so that nobody writes an IDN in another form than punycode.
 */
export function parseName(text: string, origin: string): NameResult {
  if (text === '@') return { ok: true, wire: origin }
  if (text === '.') return { ok: true, wire: rootName }
  if (text.length > mostPerByte * maxNameBytes) return refuse('is longer than 255 bytes')
  if (/[^\x21-\x7e]/.test(text.replaceAll(/\\[\x20-\x7e]/g, '')))
    return refuse('has a character that is not allowed; write an IDN in punycode')
  const isAbsolute = /(^|[^\\])(\\\\)*\.$/.test(text)
  const labels = splitLabels(isAbsolute ? text.slice(0, -1) : text)
  let wire = ''
  for (const label of labels) {
    const plain = unescaped(label, maxNameBytes)
    if (!plain.ok) return refuse(plain.message)
    const bytes = plain.bytes.toString('latin1')
    if (bytes === '') return refuse('has an empty label')
    if (bytes.length > maxLabelBytes) return refuse('has a label of more than 63 bytes')
    wire += String.fromCharCode(bytes.length) + bytes
  }
  wire += isAbsolute ? rootName : origin
  return wire.length > maxNameBytes ? refuse('is longer than 255 bytes') : { ok: true, wire }
}

/** Splits at unescaped dots. */
function splitLabels(text: string): string[] {
  const labels: string[] = []
  let label = ''
  for (const [piece] of text.matchAll(/\\.|[^.\\]+|\.|\\/gsu)) {
    if (piece === '.') {
      labels.push(label)
      label = ''
    } else label += piece
  }
  return [...labels, label]
}

/** The wire form of a name known to be valid, such as `example.com` or `example.com.`. Throws RangeError otherwise. */
export function nameOf(text: string): NameKey {
  const result = parseName(text.endsWith('.') ? text : `${text}.`, rootName)
  if (!result.ok) throw new RangeError(`the name '${text}' ${result.message}`)
  return lowerName(result.wire)
}

/** A wire name as absolute text with a trailing dot and escapes where they are needed. */
export function printName(wire: string): string {
  if (wire === rootName) return '.'
  let text = ''
  for (let at = 0; at < wire.length - 1; ) {
    const next = at + wire.charCodeAt(at) + 1
    text += `${escapeLabel(wire.slice(at + 1, next))}.`
    at = next
  }
  return text
}

function escapeLabel(label: string): string {
  return label.replace(/[^a-zA-Z0-9_*/+-]/g, (character) =>
    /[\x21-\x7e]/.test(character) ? `\\${character}` : decimalEscape(character.charCodeAt(0)),
  )
}

const decimalEscape = (byte: number) => `\\${String(byte).padStart(3, '0')}`

/** The spelling of each byte within double quotes. */
const quotedSpellings = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  return byte >= 0x20 && byte <= 0x7e ? character : decimalEscape(byte)
})

/** Bytes as a text in double quotes, with escapes where they are needed. */
export function quoteBytes(bytes: Buffer): string {
  let text = '"'
  for (const byte of bytes) text += quotedSpellings[byte]
  return `${text}"`
}
