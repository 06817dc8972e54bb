/** CAA records say which certificate authorities may issue for a domain (RFC 8659). Pure. */
import { unescaped } from '../../../protocols/net/dns/names.ts'
import { mostDataBytes } from '../../../protocols/net/dns/rdata.ts'
import { readWords } from '../../../protocols/net/dns/tokens.ts'
import { apex } from './domain.ts'

/** One property of a CAA record. */
export interface CaaProperty {
  readonly isCritical: boolean
  /** In lower case. */
  readonly tag: string
  readonly value: string
}

/** The CAA records of a zone by the domain that they are at. */
export type CaaRecords = ReadonlyMap<string, readonly CaaProperty[]>

/** A domain and those above it in its zone, as RRSets name them. */
export function namesUpwards(domain: string, zoneName: string): string[] {
  const labels = domain.slice(0, -zoneName.length).split('.').slice(0, -1)
  return [...labels.map((_, index) => labels.slice(index).join('.')), apex]
}

/** Reads `FLAGS TAG "VALUE"`, as zones keep it. */
export function caaProperty(text: string): CaaProperty {
  const [flags, tag, value] = (readWords(text) ?? []).map((word) => {
    const plain = unescaped(word.text, mostDataBytes)
    return plain.ok ? plain.bytes.toString('latin1') : ''
  })
  return { isCritical: (Number(flags) & 0x80) !== 0, tag: (tag ?? '').toLowerCase(), value: value ?? '' }
}
