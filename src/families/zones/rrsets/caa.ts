/** CAA records: which certificate authorities may issue for a domain of a zone (RFC 8659). */
import type { Queries } from '../../../kernel/data/db.ts'
import { mapInTurns } from '../../../kernel/process/turns.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { unescaped } from '../../../protocols/net/dns/names.ts'
import { mostDataBytes } from '../../../protocols/net/dns/rdata.ts'
import { readWords } from '../../../protocols/net/dns/tokens.ts'
import type { Zone } from '../domain.ts'
import { apex, rrsetKey } from './domain.ts'
import { recordsOf } from './store.ts'

/** One property of a CAA record. */
export interface CaaProperty {
  readonly isCritical: boolean
  /** In lower case. */
  readonly tag: string
  readonly value: string
}

/** The CAA records of a zone by the domain that they are at. */
export type CaaRecords = ReadonlyMap<string, readonly CaaProperty[]>

/** The CAA records at some domains of a zone of the Project, and at the domains between them and the zone. */
export async function caaRecords(
  query: Queries,
  scope: ProjectScope,
  zone: Pick<Zone, 'contentId' | 'name'>,
  domains: readonly string[],
): Promise<CaaRecords> {
  const keys = new Set(
    domains.flatMap((domain) => namesUpwards(domain, zone.name)).map((name) => rrsetKey({ name, type: 'CAA' })),
  )
  const found = await recordsOf(query, scope, zone, [...keys])
  const properties = new Map<string, readonly CaaProperty[]>()
  for (const { name, records } of found) {
    const domain = name === apex ? zone.name : `${name}.${zone.name}`
    properties.set(domain, await mapInTurns(records, ({ value }) => propertyOf(value), 1))
  }
  return properties
}

/** A domain and those above it in its zone, as RRSets name them. */
function namesUpwards(domain: string, zoneName: string): string[] {
  const labels = domain.slice(0, -zoneName.length).split('.').slice(0, -1)
  return [...labels.map((_, index) => labels.slice(index).join('.')), apex]
}

/** Reads `FLAGS TAG "VALUE"`, as zones keep it. */
function propertyOf(text: string): CaaProperty {
  const [flags, tag, value] = (readWords(text) ?? []).map((word) => {
    const plain = unescaped(word.text, mostDataBytes)
    return plain.ok ? plain.bytes.toString('latin1') : ''
  })
  return { isCritical: (Number(flags) & 0x80) !== 0, tag: (tag ?? '').toLowerCase(), value: value ?? '' }
}
