/**
 * What a zone answers to a question (RFC 1034, 4.3.2; RFC 2308, 4592, 8482): records, aliases followed, names that a
 * wildcard stands for, referrals to delegated zones, and the two ways of having nothing.
 */
import { isWithin, lowerName, type NameKey, parentName, selfAndParents } from '../kernel/dns/names.ts'
import { firstNameIn, recordTypes } from '../kernel/dns/rdata.ts'
import { type Answer, bareAnswer, type OwnedRrset, queryTypes, rcodes, type WireRrset } from './message.ts'
import type { ZoneImage, ZoneNode } from './zone-image.ts'

const { A, AAAA, CNAME, DS, HINFO, NS } = recordTypes

/** How far a chain of aliases is followed. */
const longestChain = 12

/** Answers to ANY, so that nobody can use us to send others more than they asked for (RFC 8482, 4.2). */
const minimal: WireRrset = {
  type: HINFO.code,
  ttl: 3_600,
  data: [Buffer.concat([Buffer.of(7), Buffer.from('RFC8482'), Buffer.of(0)])],
}

/** Finds the zone that a name lies in; undefined for one that is not ours. */
export type FindImage = (name: NameKey) => ZoneImage | undefined

/** Answers a question about a name in `zone`. Aliases into other zones are followed as far as `find` knows them. */
export function lookUp(zone: ZoneImage, name: NameKey, type: number, find: FindImage): Answer {
  const chain: OwnedRrset[] = []
  let at: { zone: ZoneImage; name: NameKey } = { zone, name }
  for (let length = 0; ; length++) {
    const found = lookUpOnce(at.zone, at.name, type)
    const all = [...chain, ...found.answer]
    const alias = found.alias
    // Of what lies beyond our zones we know nothing: whoever asks goes on from there.
    if (chain.length > 0 && !found.isAuthoritative) return { ...bareAnswer(rcodes.noError, true), answer: chain }
    if (!alias) return { ...found, answer: all }
    chain.push(...found.answer)
    const target = lowerName(firstNameIn('CNAME', alias.data[0]!))
    const next = find(target)
    const isLoop = chain.some(({ owner }) => owner === target)
    if (!next || isLoop || length === longestChain) return { ...bareAnswer(rcodes.noError, true), answer: chain }
    at = { zone: next, name: target }
  }
}

type Found = Answer & { readonly alias?: WireRrset }

function lookUpOnce(zone: ZoneImage, name: NameKey, type: number): Found {
  const cut = zone.cuts > 0 ? cutAbove(zone, name, type) : undefined
  if (cut !== undefined) return referral(zone, cut)
  const node = zone.nodes.get(name)
  if (node) return answerFrom(zone, node, name, type)
  const wildcard = wildcardFor(zone, name)
  return wildcard ? answerFrom(zone, wildcard, name, type) : negative(zone, rcodes.nameError)
}

function answerFrom(zone: ZoneImage, { rrsets }: ZoneNode, owner: NameKey, type: number): Found {
  const alias = rrsets.get(CNAME.code)
  if (alias && type !== CNAME.code) {
    const found: Found = { ...bareAnswer(rcodes.noError, true), answer: [{ owner, rrset: alias }] }
    return type === queryTypes.any ? found : { ...found, alias }
  }
  const rrset = type === queryTypes.any && rrsets.size > 0 ? minimal : rrsets.get(type)
  if (!rrset) return negative(zone, rcodes.noError)
  return { ...bareAnswer(rcodes.noError, true), answer: [{ owner, rrset }] }
}

/** Nothing, with the SOA record that says for how long that may be remembered (RFC 2308, 3). */
function negative(zone: ZoneImage, rcode: number): Found {
  const { soa, origin } = zone
  if (!soa) return bareAnswer(rcode, true)
  const data = soa.data[0]!
  const ttl = Math.min(soa.ttl, data.readUInt32BE(data.length - 4))
  return { ...bareAnswer(rcode, true), authority: [{ owner: origin, rrset: { ...soa, ttl } }] }
}

/** The topmost delegated name at or above a name. The DS records of a delegated name are ours (RFC 4035, 3.1.4.1). */
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
  return { ...bareAnswer(rcodes.noError), authority, additional: servers.data.flatMap((data) => glue(zone, data)) }
}

/** Addresses of a name server that we know of ourselves. */
function glue(zone: ZoneImage, data: Buffer): OwnedRrset[] {
  const owner = lowerName(firstNameIn('NS', data))
  if (!isWithin(owner, zone.origin)) return []
  const rrsets = zone.nodes.get(owner)?.rrsets
  return [A, AAAA].flatMap(({ code }) => {
    const rrset = rrsets?.get(code)
    return rrset ? [{ owner, rrset }] : []
  })
}

/** The wildcard right below the nearest name above that exists (RFC 4592, 3.3.1). */
function wildcardFor(zone: ZoneImage, name: NameKey): ZoneNode | undefined {
  let encloser = parentName(name)
  while (encloser !== undefined && !zone.nodes.has(encloser)) encloser = parentName(encloser)
  return encloser === undefined ? undefined : zone.nodes.get(`\x01*${encloser}`)
}
