/** Computes what an import would change, by the server's rules. Loaded when a file is there, after `provideBytes`. */

import { readZonefile, rrsetLines } from '../../../src/families/zones/zonefiles/domain.ts'
import {
  type PresentZone,
  type Preview,
  previewImport,
  type Refused,
} from '../../../src/families/zones/zonefiles/preview.ts'
import { Malformed } from '../../../src/protocols/net/dns/tokens.ts'

export type { Preview, Refused } from '../../../src/families/zones/zonefiles/preview.ts'

/** `replace` leaves nothing that is not in the file, `merge` leaves it all. */
export type How = 'merge' | 'replace'

export interface Comparison {
  readonly result: Preview | Refused
  /** The file that is sent: with `merge` it has the record sets that are only in the zone as well. */
  readonly zonefile: string
  /** Types of the given text whose records at the zone itself those of the servers here replace. */
  readonly replaced: readonly string[]
  /** Record sets that only stay as they are with a TTL of their own from now on. */
  readonly pinned: readonly string[]
}

type Rrset = Preview['added'][number]

const keyOf = ({ name, type }: Pick<Rrset, 'name' | 'type'>) => `${name}/${type}`

export function compare(zone: PresentZone, text: string, how: How): Comparison {
  const { zonefile, pinned } = how === 'merge' ? merged(zone, text) : { zonefile: text, pinned: [] }
  const preview = previewImport(zone, zonefile)
  const result = how === 'replace' && preview.ok && preview.isMerge ? withoutSoa : preview
  const given = how === 'merge' ? readAll(text, zone.name)?.rrsets : undefined
  const isGiven = (rrset: Rrset) => given === undefined || given.some((one) => keyOf(one) === keyOf(rrset))
  const replaced = result.ok ? result.replaced.filter(isGiven).map(({ type }) => type) : []
  return { result, zonefile, replaced, pinned }
}

/** A file without a SOA record would be merged, whatever was chosen. */
const withoutSoa: Refused = { ok: false, line: undefined, kind: 'soa', message: 'the file has no SOA record' }

/** The file with what is only in the zone; a file that cannot be read stays as it is, and is refused by the preview. */
function merged(zone: PresentZone, text: string): { readonly zonefile: string; readonly pinned: readonly string[] } {
  const read = readAll(text, zone.name)
  if (!read) return { zonefile: text, pinned: [] }
  const inFile = new Set(read.rrsets.map(keyOf))
  const kept = zone.rrsets.filter((rrset) => !inFile.has(keyOf(rrset)))
  if (kept.length === 0) return { zonefile: text, pinned: [] }
  const ttl = read.ttl ?? zone.ttl
  // Record sets with the TTL of the zone keep it, also when the file gives the zone another one.
  const hasOther = ttl !== zone.ttl
  const lines = kept.map((rrset) => rrsetLines({ ...rrset, ttl: rrset.ttl ?? (hasOther ? zone.ttl : null) }, 0))
  return {
    zonefile: `${text.replace(/\n*$/, '\n')}$TTL\t${ttl}\n${lines.join('')}`,
    pinned: hasOther ? kept.filter((rrset) => rrset.ttl === null).map(keyOf) : [],
  }
}

function readAll(text: string, zoneName: string) {
  const steps = readZonefile(text, zoneName)
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
