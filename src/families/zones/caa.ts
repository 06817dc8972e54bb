/** CAA records: which certificate authorities may issue for a domain of a zone (RFC 8659). */
import type { Queries } from '../../kernel/db.ts'
import { unescaped } from '../../kernel/dns/names.ts'
import { readWords } from '../../kernel/dns/tokens.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Zone } from './domain.ts'
import { apex, type ZoneRecord } from './rrsets.ts'

/** One property of a CAA record. */
export interface CaaProperty {
  readonly isCritical: boolean
  /** In lower case. */
  readonly tag: string
  readonly value: string
}

/** The CAA records of a zone by the domain that they are at. */
export type CaaRecords = ReadonlyMap<string, readonly CaaProperty[]>

/** All CAA records of a zone of the Project. */
export async function caaRecords(
  query: Queries,
  scope: ProjectScope,
  zone: Pick<Zone, 'id' | 'name'>,
): Promise<CaaRecords> {
  const rows = await query
    .selectFrom('rrset')
    .select(['name', 'records'])
    .where('project_id', '=', scope.projectId)
    .where('zone_id', '=', zone.id)
    .where('type', '=', 'CAA')
    .execute()
  return new Map(
    rows.map(({ name, records }) => [
      name === apex ? zone.name : `${name}.${zone.name}`,
      (JSON.parse(records) as ZoneRecord[]).map(({ value }) => propertyOf(value)),
    ]),
  )
}

/** Reads `FLAGS TAG "VALUE"`, as zones keep it. */
function propertyOf(text: string): CaaProperty {
  const [flags, tag, value] = (readWords(text) ?? []).map((word) => unescaped(word.text)?.toString('latin1') ?? '')
  return { isCritical: (Number(flags) & 0x80) !== 0, tag: (tag ?? '').toLowerCase(), value: value ?? '' }
}
