/** Labels of resources: what a request may set (spec: Labels). */
import { isHostLabel } from '../../net/hostnames.ts'

/** A resource's labels: key to value. Both sides satisfy the rules (spec: Labels). */
export type Labels = Readonly<Record<string, string>>

/** One reason a label set is refused. `path` names the request field; the key at fault is quoted in `message`. */
export type LabelProblem = { path: string; message: string }

export type LabelsResult = { ok: true; labels: Labels } | { ok: false; problems: LabelProblem[] }

/** Most labels one resource may carry. The spec names no number; this one bounds the cost of the label index. */
export const maxLabels = 64

/** Longest label value, and longest name part of a label key, in characters. */
export const maxNameLength = 63

/** Longest prefix part of a label key, in characters, without the `/`. */
export const maxPrefixLength = 253

const maxExcerptLength = 80

/**
 * Quotes caller input for a message: at most 80 characters of it, with control characters and quotes escaped
 * so that the text cannot break out of a log line.
 */
export function excerpt(text: string): string {
  if (text.length <= maxExcerptLength) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, maxExcerptLength))}...`
}

/**
 * Checks the `labels` field of a request body (spec: Labels).
 *
 * `vendor` is the service's own name: the prefix `<vendor>.cloud/` is refused whatever its case. Returns the labels in the order given, in an object without a prototype, so that looking up a key such
 * as `constructor` finds only what the caller sent. Otherwise returns at most one problem per label, all with the
 * path `labels`: keys contain dots, which would make a longer path ambiguous.
 */
export function parseLabels(value: unknown, options: { vendor: string }): LabelsResult {
  if (!isRecord(value)) return refused('labels must be an object with string values')
  const keys = Object.keys(value)
  if (keys.length > maxLabels) return refused(`a resource can have at most ${maxLabels} labels, not ${keys.length}`)
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
  if (slash === -1) return nameProblem(key, 'must')
  return prefixProblem(key.slice(0, slash)) ?? nameProblem(key.slice(slash + 1), 'must have a name after "/" that must')
}

/** Says what is wrong with a label value, or undefined when it is well formed. The empty value is well formed. */
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

/** The spec reserves this one prefix: subdomains of it are free. */
function isReserved(key: string, reserved: string): boolean {
  const slash = key.indexOf('/')
  return key.slice(0, slash).toLowerCase() === reserved
}

/** `must` opens the message; it tells the name part of a key apart from a whole key or value. */
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
