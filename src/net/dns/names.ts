/**
 * Domain names in presentation format and in wire format. A wire name is a string with one character per byte (length,
 * label, length, label, ..., 0), which is cheap to compare, to cut and to use as a key.
 */

/** Limits in bytes of a name in wire format with its closing zero, and of a label (RFC 1035, 2.3.4). */
const maxNameBytes = 255
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

/** Whether a name is `ancestor` or below it. */
export function isWithin(name: NameKey, ancestor: NameKey): boolean {
  if (!name.endsWith(ancestor)) return false
  let at = 0
  while (at < name.length - ancestor.length) at += name.charCodeAt(at) + 1
  return at === name.length - ancestor.length
}

/** Resolves the escapes `\.` and `\065` and encodes other characters in UTF-8; undefined when an escape is malformed. */
export function unescaped(text: string): Buffer | undefined {
  if (!text.includes('\\')) return Buffer.from(text)
  const parts: Buffer[] = []
  for (const [piece, decimal, single] of text.matchAll(/\\(\d{3})|\\([^\d])|[^\\]+|\\/gsu)) {
    if (decimal !== undefined) {
      if (Number(decimal) > 255) return undefined
      parts.push(Buffer.of(Number(decimal)))
    } else if (single !== undefined) parts.push(Buffer.from(single))
    else if (piece === '\\') return undefined
    else parts.push(Buffer.from(piece))
  }
  return Buffer.concat(parts)
}

/** A parsed name, or a message about its text. */
export type NameResult = { readonly ok: true; readonly wire: string } | { readonly ok: false; readonly message: string }

const refuse = (message: string): NameResult => ({ ok: false, message })

/**
 * Parses a name in presentation format: absolute with a trailing dot, otherwise relative to `origin` (a wire name),
 * which `@` stands for. Labels are printable ASCII without spaces; an IDN must be in punycode.
 */
export function parseName(text: string, origin: string): NameResult {
  if (text === '@') return { ok: true, wire: origin }
  if (text === '.') return { ok: true, wire: rootName }
  if (text.length > 4 * maxNameBytes) return refuse('is longer than 255 bytes')
  const isAbsolute = /(^|[^\\])(\\\\)*\.$/.test(text)
  const labels = splitLabels(isAbsolute ? text.slice(0, -1) : text)
  let wire = ''
  for (const label of labels) {
    const bytes = unescaped(label)?.toString('latin1')
    if (bytes === undefined) return refuse('has a malformed escape')
    if (bytes === '') return refuse('has an empty label')
    if (bytes.length > maxLabelBytes) return refuse('has a label of more than 63 bytes')
    if (!/^[\x21-\x7e]+$/.test(bytes)) return refuse('has a character that is not allowed; write an IDN in punycode')
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
    /[\x21-\x7e]/.test(character) ? `\\${character}` : `\\${String(character.charCodeAt(0)).padStart(3, '0')}`,
  )
}
