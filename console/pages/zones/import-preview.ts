/** What an import would change, by the rules of the server itself. Loaded when a file is there, after `provideBytes`. */

import { readZonefile, rrsetLines } from '../../../src/families/zones/zonefiles/domain.ts'
import {
  type PresentZone,
  type Preview,
  previewImport,
  type Refused,
} from '../../../src/families/zones/zonefiles/preview.ts'
import { Malformed } from '../../../src/net/dns/tokens.ts'

export type { Preview, Refused } from '../../../src/families/zones/zonefiles/preview.ts'

/** `replace` leaves nothing that is not in the file, `merge` leaves it all. */
export type How = 'merge' | 'replace'

export interface Comparison {
  readonly result: Preview | Refused
  /** The file that is sent: with `merge` it has the record sets that are only in the zone as well. */
  readonly zonefile: string
}

export function compare(zone: PresentZone, text: string, how: How): Comparison {
  const zonefile = how === 'merge' ? merged(zone, text) : text
  return { result: previewImport(zone, zonefile), zonefile }
}

/** The file with what is only in the zone; a file that cannot be read stays as it is, and is refused by the preview. */
function merged(zone: PresentZone, text: string): string {
  const read = readAll(text, zone.name)
  if (!read) return text
  const inFile = new Set(read.rrsets.map(({ name, type }) => `${name}/${type}`))
  const kept = zone.rrsets.filter(({ name, type }) => !inFile.has(`${name}/${type}`))
  if (kept.length === 0) return text
  const ttl = read.ttl ?? zone.ttl
  // What takes the TTL of the zone keeps it, also when the file gives the zone another one.
  const lines = kept.map((rrset) => rrsetLines({ ...rrset, ttl: rrset.ttl ?? (ttl === zone.ttl ? null : zone.ttl) }, 0))
  return `${text.replace(/\n*$/, '\n')}$TTL\t${ttl}\n${lines.join('')}`
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
