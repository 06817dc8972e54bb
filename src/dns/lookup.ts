/**
 * Looks up a question in a zone (RFC 1034, 4.3.2; RFC 2308, 4592, 8482): records, alias chains, wildcards, referrals to
 * delegated zones, and the negative answers NXDOMAIN and NODATA.
 */
import { isWithin, lowerName, type NameKey, parentName, selfAndParents } from '../protocols/net/dns/names.ts'
import { firstNameIn, recordTypes } from '../protocols/net/dns/rdata.ts'
import { type Answer, bareAnswer, type OwnedRrset, queryTypes, rcodes, type WireRrset } from './message.ts'
import type { ZoneImage, ZoneNode } from './zone-image.ts'

const { A, AAAA, CNAME, DS, HINFO, NS } = recordTypes

/** The maximum number of aliases (CNAME) that are followed. */
const longestChain = 12

/**
 * The answer to ANY: a single small record, because large answers are useful for amplification attacks (RFC 8482, 4.2).
 */
const minimal: WireRrset = {
  type: HINFO.code,
  ttl: 3_600,
  data: [Buffer.concat([Buffer.of(7), Buffer.from('RFC8482'), Buffer.of(0)])],
}

/** Finds the zone that contains a name; undefined for a name in none of our zones. */
export type FindImage = (name: NameKey) => ZoneImage | undefined

/** Answers a question about a name in `zone`. Aliases into other zones are followed as far as `find` resolves them. */
export function lookUp(zone: ZoneImage, name: NameKey, type: number, find: FindImage): Answer {
  const chain: OwnedRrset[] = []
  let at: { zone: ZoneImage; name: NameKey } = { zone, name }
  let countedAs: string | undefined
  for (let length = 0; ; length++) {
    const found = lookUpOnce(at.zone, at.name, type)
    const all = [...chain, ...found.answer]
    const alias = found.alias
    // An alias that leaves our zones ends the chain here: the resolver continues with the target.
    countedAs ??= found.countedAs
    if (chain.length > 0 && !found.isAuthoritative)
      return { ...bareAnswer(rcodes.noError, true, countedAs), answer: chain }
    if (!alias) return { ...found, answer: all, countedAs }
    chain.push(...found.answer)
    const target = lowerName(firstNameIn('CNAME', alias.data[0]!))
    const next = find(target)
    const isLoop = chain.some(({ owner }) => owner === target)
    if (!next || isLoop || length === longestChain)
      return { ...bareAnswer(rcodes.noError, true, countedAs), answer: chain }
    at = { zone: next, name: target }
  }
}

type Found = Answer & { readonly alias?: WireRrset }

function lookUpOnce(zone: ZoneImage, name: NameKey, type: number): Found {
  const cut = zone.cuts > 0 ? cutAbove(zone, name, type) : undefined
  if (cut !== undefined) return referral(zone, cut)
  const node = zone.nodes.get(name)
  if (node) return answerFrom(zone, node, { owner: name, source: name }, type)
  const source = wildcardFor(zone, name)
  const wildcard = source === undefined ? undefined : zone.nodes.get(source)
  if (wildcard) return answerFrom(zone, wildcard, { owner: name, source: source! }, type)
  return negative(zone, rcodes.nameError, zone.origin)
}

/** The queried name, and the name in the zone whose records answer it: the same name, or a wildcard. */
interface Names {
  readonly owner: NameKey
  readonly source: NameKey
}

function answerFrom(zone: ZoneImage, { rrsets }: ZoneNode, { owner, source }: Names, type: number): Found {
  const found = (rrset: WireRrset): Found => ({
    ...bareAnswer(rcodes.noError, true, `${source}${rrset.type}`),
    answer: [{ owner, rrset }],
  })
  const alias = rrsets.get(CNAME.code)
  if (alias && type !== CNAME.code) return type === queryTypes.any ? found(alias) : { ...found(alias), alias }
  const rrset = type === queryTypes.any && rrsets.size > 0 ? minimal : rrsets.get(type)
  return rrset ? found(rrset) : negative(zone, rcodes.noError, source)
}

/** A negative answer for `source`; its SOA record says how long resolvers may cache it (RFC 2308, 3). */
function negative(zone: ZoneImage, rcode: number, source: NameKey): Found {
  const { soa, origin } = zone
  const bare = bareAnswer(rcode, true, `${source}-${rcode}`)
  if (!soa) return bare
  const data = soa.data[0]!
  const ttl = Math.min(soa.ttl, data.readUInt32BE(data.length - 4))
  return { ...bare, authority: [{ owner: origin, rrset: { ...soa, ttl } }] }
}

/**
 * The topmost delegated name at or above a name. DS records of a delegated name belong to the parent (RFC 4035,
 * 3.1.4.1).
 */
function cutAbove(zone: ZoneImage, name: NameKey, type: number): NameKey | undefined {
  let cut: NameKey | undefined
  for (const at of selfAndParents(name)) {
    if (at === zone.origin) return cut
    if (zone.nodes.get(at)?.rrsets.has(NS.code) && !(at === name && type === DS.code)) cut = at
  }
  return cut
}

function referral(zone: ZoneImage, cut: NameKey): Answer {
  const { rrsets } = zone.nodes.get(cut)!
  const servers = rrsets.get(NS.code)!
  const authority = [{ owner: cut, rrset: servers }]
  const signer = rrsets.get(DS.code)
  if (signer) authority.push({ owner: cut, rrset: signer })
  const bare = bareAnswer(rcodes.noError, false, `${cut}${NS.code}`)
  return { ...bare, authority, additional: servers.data.flatMap((data) => glue(zone, data)) }
}

/** Glue: the addresses of a name server whose name lies in this zone. */
function glue(zone: ZoneImage, data: Buffer): OwnedRrset[] {
  const owner = lowerName(firstNameIn('NS', data))
  if (!isWithin(owner, zone.origin)) return []
  const rrsets = zone.nodes.get(owner)?.rrsets
  return [A, AAAA].flatMap(({ code }) => {
    const rrset = rrsets?.get(code)
    return rrset ? [{ owner, rrset }] : []
  })
}

/** The wildcard directly below the closest encloser of a name (RFC 4592, 3.3.1). */
function wildcardFor(zone: ZoneImage, name: NameKey): NameKey | undefined {
  let encloser = parentName(name)
  while (encloser !== undefined && !zone.nodes.has(encloser)) encloser = parentName(encloser)
  return encloser === undefined ? undefined : `\x01*${encloser}`
}
