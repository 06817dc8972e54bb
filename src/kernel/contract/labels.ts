/** Labels of resources in requests (spec: Labels). */
import { isHostLabel } from '../../protocols/net/hostnames.ts'

/** A resource's labels. Keys and values satisfy the rules for labels (spec: Labels). */
export type Labels = Readonly<Record<string, string>>

/** One reason why labels are refused. `path` names the request field; `message` quotes the key. */
export type LabelProblem = { path: string; message: string; isLimit?: true }

export type LabelsResult = { ok: true; labels: Labels } | { ok: false; problems: LabelProblem[] }

/** Maximum number of labels per resource. The spec gives no number; this one bounds the cost of the label index. */
export const maxLabels = 64

/** Maximum length of a label value and of the name part of a label key, in characters. */
export const maxNameLength = 63

/** Maximum length of the prefix part of a label key, in characters, without the `/`. */
export const maxPrefixLength = 253

const maxExcerptLength = 80

/**
 * Quotes caller input for a message: at most 80 characters, with control characters and quotes escaped so that the text
 * cannot break out of a log line.
 */
export function excerpt(text: string): string {
  if (text.length <= maxExcerptLength) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, maxExcerptLength))}...`
}

/**
 * Checks the `labels` field of a request body (spec: Labels).
 * `vendor` is the service's own name: the prefix `<vendor>.cloud/` is refused in any case. Returns the labels in the
 * order given, in an object without a prototype, so that looking up a key such as `constructor` finds only what the
 * caller sent. On failure returns at most one problem per label, all with the path `labels`: keys contain dots, which
 * would make a longer path ambiguous.
 */
export function parseLabels(value: unknown, options: { vendor: string }): LabelsResult {
  if (!isRecord(value)) return refused('labels must be an object with string values')
  const keys = Object.keys(value)
  if (keys.length > maxLabels) {
    const message = `a resource cannot have more than ${maxLabels} labels`
    return { ok: false, problems: [{ path: 'labels', message, isLimit: true }] }
  }
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
 * The problem with a label key, or undefined when it is valid. The text continues a sentence that begins with the key.
 * The reserved prefix is not a problem here, because selectors may name such keys.
 */
export function labelKeyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  const slash = key.indexOf('/')
  if (slash === -1) return nameProblem(key, 'must')
  return prefixProblem(key.slice(0, slash)) ?? nameProblem(key.slice(slash + 1), 'must have a name after "/" that must')
}

/** The problem with a label value, or undefined when it is valid. The empty value is valid. */
export function labelValueProblem(value: string): string | undefined {
  return value === '' ? undefined : nameProblem(value, 'must')
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

/** The spec reserves only this prefix; its subdomains are allowed. */
function isReserved(key: string, reserved: string): boolean {
  const slash = key.indexOf('/')
  return key.slice(0, slash).toLowerCase() === reserved
}

/** `must` starts the message and tells the name part of a key apart from a whole key or value. */
function nameProblem(text: string, must: string): string | undefined {
  if (text === '') return `${must} not be empty`
  if (text.length > maxNameLength) return `${must} be at most ${maxNameLength} characters long`
  if (!/^[a-z0-9](.*[a-z0-9])?$/is.test(text)) return `${must} begin and end with an alphanumeric character`
  return /^[\w.-]*$/.test(text)
    ? undefined
    : `${must} contain only alphanumeric characters, dashes, underscores and dots`
}

function prefixProblem(prefix: string): string | undefined {
  if (prefix.length > maxPrefixLength) {
    return `must have a prefix of at most ${maxPrefixLength} characters before "/"`
  }
  return prefix.split('.').every(isHostLabel) ? undefined : 'must have a dns subdomain before "/"'
}
