/** A resource's labels: key to value. Both sides satisfy the rules of spec section Labels. */
export type Labels = Readonly<Record<string, string>>

/** One reason a label set is refused. `path` names the request field; the key at fault is quoted in `message`. */
export type LabelProblem = { path: string; message: string }

export type LabelsResult = { ok: true; labels: Labels } | { ok: false; problems: LabelProblem[] }

/** Most labels one resource may carry. The spec names no number; this one bounds the cost of the label index. */
export const MAX_LABELS = 64

/** Longest label value, and longest name part of a label key, in characters. */
export const MAX_LABEL_NAME_LENGTH = 63

/** Longest prefix part of a label key, in characters, without the `/`. */
export const MAX_LABEL_PREFIX_LENGTH = 253

const MAX_DNS_LABEL_LENGTH = 63
const MAX_EXCERPT_LENGTH = 80
const DOT = 0x2e
const DASH = 0x2d
const UNDERSCORE = 0x5f

/**
 * Quotes caller input for a message: at most 80 characters of it, with control characters and quotes escaped
 * so that the text cannot break out of a log line.
 */
export function excerpt(text: string): string {
  if (text.length <= MAX_EXCERPT_LENGTH) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, MAX_EXCERPT_LENGTH))}...`
}

/**
 * Checks the `labels` field of a request body (spec section Labels).
 *
 * `vendor` is the service's own name: the prefix `<vendor>.cloud/` is refused whatever its case. Returns the labels in the order given, in an object without a prototype, so that looking up a key such
 * as `constructor` finds only what the caller sent. Otherwise returns at most one problem per label, all with the
 * path `labels`: keys contain dots, which would make a longer path ambiguous.
 */
export function parseLabels(value: unknown, options: { vendor: string }): LabelsResult {
  if (!isRecord(value)) return refused('labels must be an object with string values')
  const keys = Object.keys(value)
  if (keys.length > MAX_LABELS) return refused(`a resource can have at most ${MAX_LABELS} labels, not ${keys.length}`)
  const reserved = `${options.vendor.toLowerCase()}.cloud`
  const labels: Record<string, string> = Object.create(null)
  const problems: LabelProblem[] = []
  for (const key of keys) {
    const item = value[key]
    const message = keyMessage(key, reserved) ?? valueMessage(key, item)
    if (message !== undefined) problems.push({ path: 'labels', message })
    else if (typeof item === 'string') labels[key] = item
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, labels }
}

/**
 * Says what is wrong with a label key, or undefined when it is well formed. The answer continues a sentence that
 * begins with the key. The reserved prefix is not an error here: selectors may name such keys.
 */
export function labelKeyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  const slash = key.indexOf('/')
  if (slash === -1) return nameProblem(key, 0, 'must')
  return prefixProblem(key, slash) ?? nameProblem(key, slash + 1, 'must have a name after "/" that must')
}

/** Says what is wrong with a label value, or undefined when it is well formed. The empty value is well formed. */
export function labelValueProblem(value: string): string | undefined {
  return value === '' ? undefined : nameProblem(value, 0, 'must')
}

function refused(message: string): LabelsResult {
  return { ok: false, problems: [{ path: 'labels', message }] }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function keyMessage(key: string, reserved: string): string | undefined {
  const problem = labelKeyProblem(key)
  if (problem !== undefined) return `label key ${excerpt(key)} ${problem}`
  if (isReserved(key, reserved)) return `label key ${excerpt(key)} uses the reserved prefix "${reserved}/"`
  return undefined
}

function valueMessage(key: string, value: unknown): string | undefined {
  if (typeof value !== 'string') {
    return `label value of key ${excerpt(key)} must be a string, not ${typeName(value)}`
  }
  const problem = labelValueProblem(value)
  return problem === undefined ? undefined : `label value ${excerpt(value)} of key ${excerpt(key)} ${problem}`
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value === undefined) return 'undefined'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** The spec reserves this one prefix: subdomains of it are free. */
function isReserved(key: string, reserved: string): boolean {
  const slash = key.indexOf('/')
  return key.slice(0, slash).toLowerCase() === reserved
}

/** `must` opens the message; it tells the name part of a key apart from a whole key or value. */
function nameProblem(text: string, start: number, must: string): string | undefined {
  const end = text.length
  if (start === end) return `${must} not be empty`
  // The length comes first so that nothing longer is ever scanned.
  if (end - start > MAX_LABEL_NAME_LENGTH) return `${must} be at most ${MAX_LABEL_NAME_LENGTH} characters long`
  if (!isAlphanumeric(text.charCodeAt(start)) || !isAlphanumeric(text.charCodeAt(end - 1))) {
    return `${must} begin and end with an alphanumeric character`
  }
  for (let at = start; at < end; at++) {
    if (!isNameCharacter(text.charCodeAt(at))) {
      return `${must} contain only alphanumeric characters, dashes, underscores and dots`
    }
  }
  return undefined
}

function prefixProblem(key: string, end: number): string | undefined {
  if (end > MAX_LABEL_PREFIX_LENGTH) {
    return `must have a prefix of at most ${MAX_LABEL_PREFIX_LENGTH} characters before "/"`
  }
  let start = 0
  for (let at = 0; at <= end; at++) {
    if (at < end && key.charCodeAt(at) !== DOT) continue
    if (!isDnsLabel(key, start, at)) return 'must have a dns subdomain before "/"'
    start = at + 1
  }
  return undefined
}

function isDnsLabel(text: string, start: number, end: number): boolean {
  if (start === end || end - start > MAX_DNS_LABEL_LENGTH) return false
  if (!isAlphanumeric(text.charCodeAt(start)) || !isAlphanumeric(text.charCodeAt(end - 1))) return false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code !== DASH && !isAlphanumeric(code)) return false
  }
  return true
}

function isNameCharacter(code: number): boolean {
  return code === DASH || code === UNDERSCORE || code === DOT || isAlphanumeric(code)
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}
