/** RRSets: the records that a zone has under one name and type, and the rules that they keep together. Pure. */
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Problem } from '../../../kernel/errors.ts'
import { isRecordType, type RecordTypeName } from '../../../protocols/net/dns/rdata.ts'
import { isDnsLabel, isLowerCase } from '../../../protocols/net/hostnames.ts'
import { isUnicodeLabel } from '../../../protocols/net/punycode.ts'
import { rrsetLimits } from '../limits.ts'
import type { Values } from './values.ts'

export interface ZoneRecord {
  readonly value: string
  readonly comment: string
}

/** What a request or a zone file says of an RRSet. */
export interface RrsetContent {
  /** Relative to the zone; `@` for the zone itself. */
  readonly name: string
  readonly type: RecordTypeName
  /** Null takes the one of the zone. */
  readonly ttl: number | null
  readonly records: readonly ZoneRecord[]
}

export interface Rrset extends RrsetContent {
  readonly id: number
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
}

/** The name of the zone itself, as RRSets have it. */
export const apex = '@'

/** The API's id of an RRSet, unique in its zone. */
export function rrsetKey({ name, type }: Pick<RrsetContent, 'name' | 'type'>): string {
  return `${name}/${type}`
}

/** What an answer has of each record besides its data: name, type, class, TTL and length. */
const recordHeadBytes = 12
export const tooManyRecords = `an RRSet cannot have more than ${rrsetLimits.records} records`
const tooLarge = `an RRSet cannot have more than ${rrsetLimits.dataBytes} bytes of data`
/** Reading ends with so many problems, which are all that a refusal tells. */
const mostProblems = 20

/** What is wrong with the name of an RRSet in a zone; undefined when nothing is. */
export function recordNameProblem(name: string, zoneName: string): string | undefined {
  if (name === apex) return undefined
  if (name.endsWith('.')) return 'must be relative to the zone, without a trailing dot'
  if (name === zoneName || name.endsWith(`.${zoneName}`)) return "must not end with the zone's name"
  const [first = '', ...others] = name.split('.')
  const labels = first === '*' ? others : [first, ...others]
  if (!labels.every((label) => isDnsLabel(label) && isLowerCase(label) && isUnicodeLabel(label))) {
    return 'must be labels of lower-case letters, digits, - and _; write an IDN in punycode'
  }
  return name.length + zoneName.length > 252 ? 'is too long for this zone' : undefined
}

/** Records as they are kept, or what is wrong with them. */
export type RecordsResult =
  | { readonly ok: true; readonly records: readonly ZoneRecord[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Reads the values of records in a request. Problems name them as `records[0].value`, after `prefix`. */
export function parseRecords(
  values: Values,
  given: readonly { readonly value: string; readonly comment?: string | null }[],
  prefix = '',
): RecordsResult {
  const problems: Problem[] = []
  const records: ZoneRecord[] = []
  let bytes = 0
  for (const [index, { value, comment }] of given.entries()) {
    const at = `${prefix}records[${index}]`
    const read = values.read(value)
    if (!read.ok)
      problems.push({ field: `${at}.value`, message: `is no value of type ${values.type}: ${read.message}` })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what comments may not have
    if (/[\x00-\x1f\x7f]/.test(comment ?? '')) problems.push({ field: `${at}.comment`, message: 'must be one line' })
    if (read.ok) bytes += read.bytes + recordHeadBytes
    if (bytes > rrsetLimits.dataBytes) problems.push({ field: `${prefix}records`, message: tooLarge })
    if (bytes > rrsetLimits.dataBytes || problems.length >= mostProblems) break
    records.push({ value: read.ok ? read.text : value, comment: comment ?? '' })
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, records }
}

/** Begins what is said of a value that an RRSet would have twice. Clients recognise it. */
export const duplicateValue = 'duplicate value'

/** What is wrong with an RRSet as a whole; undefined when nothing is. */
export function rrsetProblem(values: Values, { name, type, records }: RrsetContent): string | undefined {
  if (type === 'SOA' && name !== apex) return 'SOA records belong to the zone itself'
  if (type === 'CNAME' && name === apex) return 'the zone itself cannot have a CNAME record'
  if (type === 'DS' && name === apex) return 'DS records belong to delegated names'
  if (isSingle(type) && records.length > 1) return `there can be one ${type} record only`
  if (records.length > rrsetLimits.records) return tooManyRecords
  const known = new Set<string>()
  let bytes = 0
  for (const { value } of records) {
    const read = values.read(value)
    if (!read.ok) return read.message
    if (known.has(read.key)) return `${duplicateValue} ${value.slice(0, 80)}`
    known.add(read.key)
    bytes += read.bytes + recordHeadBytes
    if (bytes > rrsetLimits.dataBytes) return tooLarge
  }
  return undefined
}

const isSingle = (type: RecordTypeName) => type === 'SOA' || type === 'CNAME'

/** What is wrong with types that stand at one name together; undefined when nothing is. */
export function coexistenceProblem(types: Iterable<string>): string | undefined {
  const all = new Set(types)
  return all.has('CNAME') && all.size > 1 ? 'a name that has a CNAME record has no other records' : undefined
}

/** Tells which of some values an RRSet has: the same data in other words counts as the same. */
export function valueIndex(values: Values, records: readonly ZoneRecord[]): Map<string, number> {
  return new Map(records.map(({ value }, index) => [valueKey(values, value), index]))
}

/** A text that two values share when they mean the same data. */
export function valueKey(values: Values, value: string): string {
  const read = values.read(value)
  return read.ok ? read.key : `?${value}`
}

/** Reads the type in a path; undefined for what is none. */
export function parseType(text: string): RecordTypeName | undefined {
  return isRecordType(text) ? text : undefined
}
