/** Zones in seed files. */
import { type Fields, protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'

/** Those that every zone has from the beginning. */
function isOwn({ name, type, records }: Fields, { authoritative_nameservers: { assigned } }: Fields): boolean {
  if (name !== '@') return false
  const values = records.map(({ value }: Fields) => value.replace(/\.$/, ''))
  const usual = assigned.map((host: string) => host.replace(/\.$/, ''))
  return type === 'SOA' || (type === 'NS' && values.toSorted().join() === usual.toSorted().join())
}

const rrsetOf = ({ name, type, ttl, labels, records }: Fields) => ({
  name,
  type,
  ttl,
  labels,
  records: records.map(({ value, comment }: Fields) => ({ value, comment: comment || null })),
})

export const seed: Seed = {
  parts: {
    rrsets: {
      by: 'createRrset',
      each: ['name', 'type'],
      isCreated: true,
      undo: 'removeRrset',
      params: ({ name, type }) => ({ rr_name: name, rr_type: type }),
    },
    protection,
  },
  more: { rrsets: { by: 'listRrsets', when: ({ mode }) => mode === 'primary' } },
  entry: (zone, { remark, secret }) => {
    const { mode, ttl, labels, primary_nameservers, rrsets = [] } = zone
    const own = rrsets.filter((rrset: Fields) => !isOwn(rrset, zone))
    if (own.some(({ protection }: Fields) => protection?.change)) remark('protection of RRSets: left out')
    if (primary_nameservers.some(({ tsig_algorithm }: Fields) => tsig_algorithm)) secret('tsig_key')
    return {
      mode,
      ttl,
      primary_nameservers: primary_nameservers.map(({ address, port, tsig_algorithm }: Fields) => ({
        address,
        port,
        tsig_algorithm,
      })),
      rrsets: own.map(rrsetOf),
      labels,
      protection: protectedParts(zone.protection),
    }
  },
}
