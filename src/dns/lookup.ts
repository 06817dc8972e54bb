/**
 * Looks up a question in a zone (RFC 1034, 4.3.2; RFC 2308, 4592, 6672, 8482): records, alias chains, wildcards, referrals
 * to delegated zones, and the negative answers NXDOMAIN and NODATA; with the DO bit also the proofs of signed zones.
 */
import { lowerName, maxNameBytes, type NameKey, parentName, wildcardBelow } from '../protocols/net/dns/names.ts'
import { firstNameIn, plainNameAt, recordTypes } from '../protocols/net/dns/rdata.ts'
import { addressesFor, glueFor } from './additional.ts'
import { boundaryAbove } from './boundaries.ts'
import { wireTypes } from './dnssec.ts'
import {
  type Answer,
  bareAnswer,
  type Lasting,
  type OwnedRrset,
  queryTypes,
  rcodes,
  type WireRrset,
} from './message.ts'
import type { Allowance } from './signing/allowance.ts'
import type { ZoneImage } from './zone-image.ts'
import { owned, type ZoneNode } from './zone-node.ts'

const { CNAME, DS, HINFO, NS } = recordTypes
const { DNAME, NSEC, RRSIG } = wireTypes

/** Types of records that a name with a CNAME record has as well. */
const besideAliases = new Set<number>([RRSIG, NSEC])

/** The maximum number of aliases (CNAME, DNAME) that are followed. */
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

export interface Question {
  readonly name: NameKey
  readonly type: number
  /** True when the client wants the records of DNSSEC (RFC 3225). */
  readonly dnssecOk?: boolean
  /** True when it takes NXDOMAIN with a compact denial (RFC 9824, 5.1). */
  readonly compactOk?: boolean
  /** Signatures that may be made for names which a zone does not have; undefined for any number. */
  readonly allowance?: Allowance
}

/**
 * Answers a question about a name in `zone`. Aliases into other zones are followed as far as `find` resolves them. Errors:
 * `SignaturesSpent` without a signature left of the allowance.
 */
export function lookUp(zone: ZoneImage, question: Question, find: FindImage): Answer {
  const answer: OwnedRrset[] = []
  const authority: OwnedRrset[] = []
  const met = new Set<NameKey>()
  let countedAs: string | undefined
  let lasting: Lasting | undefined
  let at = { zone, name: question.name }
  for (;;) {
    const found = proven(at.zone, { ...question, name: at.name })
    const isFirst = met.size === 0
    met.add(at.name)
    countedAs ??= found.countedAs
    if (found.lasting) lasting = both(found.lasting, lasting)
    answer.push(...found.answer)
    authority.push(...found.authority)
    // An alias that leaves our zones ends the chain: the resolver continues with the target.
    const { alias } = found
    const isOpen = alias !== undefined && !met.has(alias) && met.size <= longestChain
    const next = isOpen ? find(alias) : undefined
    if (!next)
      // The first name is in a zone of ours, even when an alias leads to one that is delegated.
      return {
        ...found,
        isAuthoritative: found.isAuthoritative || !isFirst,
        answer,
        authority: [...new Map(authority.map((one) => [`${one.owner}${one.rrset.type}`, one])).values()],
        countedAs,
        lasting,
      }
    at = { zone: next, name: alias! }
  }
}

/** A part of an answer, and the name that it leads to. */
type Found = Answer & { readonly alias?: NameKey | undefined }

/** The time in which all signatures of two parts of an answer can be given. */
const both = (one: Lasting, other: Lasting | undefined): Lasting =>
  other ? { fromMs: Math.max(one.fromMs, other.fromMs), untilMs: Math.min(one.untilMs, other.untilMs) } : one

/** A part of an answer, with signatures where Wolke signs the zone. */
function proven(zone: ZoneImage, question: Question): Found {
  const { dnssecOk, type, allowance } = question
  const signer = dnssecOk ? zone.signer : undefined
  if (!signer) return lookUpOnce(zone, question)
  if (type !== RRSIG) return signer.signed(lookUpOnce(zone, question), allowance)
  // All signatures of a name would be a large answer. Those of one RRset are enough, as for ANY.
  const { answer, ...rest } = signer.signed(lookUpOnce(zone, { ...question, type: queryTypes.any }), allowance)
  const signatures = answer.flatMap(({ owner, signatures: rrset }) => (rrset ? [{ owner, rrset }] : []))
  return { ...rest, answer: signatures, alias: undefined }
}

function lookUpOnce(zone: ZoneImage, question: Question): Found {
  const { name, type, dnssecOk } = question
  const denial = dnssecOk ? zone.denial : undefined
  const boundary = boundaryAbove(zone, name, type)
  if (boundary?.is === 'cut') return referral(zone, boundary.owner, question)
  if (boundary) return redirection(zone, boundary.owner, question)
  const node = zone.nodes.get(name)
  if (type === NSEC && zone.signer && node)
    return { ...bareAnswer(rcodes.noError, true, `${name}${NSEC}`), answer: zone.signer.denial.noRecords(name) }
  if (node)
    return (
      answerFrom(zone, node, { owner: name, source: name }, type) ??
      negative(zone, rcodes.noError, name, denial?.noRecords(name))
    )
  const encloser = closestEncloser(zone, name)
  const source = wildcardBelow(encloser)
  const wildcard = zone.nodes.get(source)
  if (!wildcard) return missing(zone, question, denial?.noName(name, encloser))
  const expanded = answerFrom(zone, wildcard, { owner: name, source }, type)
  if (!expanded) return negative(zone, rcodes.noError, source, denial?.noExpansion(name, encloser))
  return { ...expanded, authority: denial?.noNearer(name, encloser) ?? [] }
}

/** The queried name, and the name in the zone whose records answer it: the same name, or a wildcard. */
interface Names {
  readonly owner: NameKey
  readonly source: NameKey
}

/** The answer with records of a name; undefined when it has none of the queried type. */
function answerFrom(zone: ZoneImage, node: ZoneNode, { owner, source }: Names, type: number): Found | undefined {
  const found = (records: readonly OwnedRrset[]): Found => ({
    ...bareAnswer(rcodes.noError, true, `${source}${records[0]!.rrset.type}`),
    answer: records,
    additional: records.flatMap((one) => addressesFor(zone, one)),
  })
  if (type === RRSIG && node.signatures?.size)
    return found([...node.signatures.values()].map((rrset) => ({ owner, rrset })))
  const exact = type === queryTypes.any ? anyOf(node, owner, zone.signer !== undefined) : owned(node, owner, type)
  if (exact) return found([exact])
  // Records of DNSSEC stand beside an alias, so they are not those of its target (RFC 4035, 2.5).
  if (besideAliases.has(type)) return undefined
  const alias = owned(node, owner, CNAME.code)
  return alias && { ...found([alias]), alias: lowerName(firstNameIn('CNAME', alias.rrset.data[0]!)) }
}

/** One RRset of a name. In a signed zone it is one that the zone has, because validators would refuse any other one. */
function anyOf(node: ZoneNode, owner: NameKey, isSigned: boolean): OwnedRrset | undefined {
  const [first] = node.rrsets.keys()
  if (first === undefined) return undefined
  if (node.rrsets.has(CNAME.code)) return owned(node, owner, CNAME.code)
  return isSigned || node.signatures?.size ? owned(node, owner, first) : { owner, rrset: minimal }
}

/** A negative answer for `source`; its SOA record says how long resolvers may cache it (RFC 2308, 3). */
function negative(zone: ZoneImage, rcode: number, source: NameKey, proof: readonly OwnedRrset[] = []): Found {
  const bare = bareAnswer(rcode, true, `${source}-${rcode}`)
  const soa = owned(zone.nodes.get(zone.origin)!, zone.origin, recordTypes.SOA.code)
  if (!soa) return bare
  const data = soa.rrset.data[0]!
  const ttl = Math.min(soa.rrset.ttl, data.readUInt32BE(data.length - 4))
  const signatures = soa.signatures && { ...soa.signatures, ttl }
  return { ...bare, authority: [{ ...soa, rrset: { ...soa.rrset, ttl }, signatures }, ...proof] }
}

/**
 * The answer for a name that does not exist. A compact denial says that it has no records but a type which tells that it does
 * not exist, and NXDOMAIN would contradict that for who does not know the type.
 */
function missing(zone: ZoneImage, { dnssecOk, compactOk }: Question, proof: readonly OwnedRrset[] | undefined): Found {
  const found = negative(zone, rcodes.nameError, zone.origin, proof)
  return zone.signer && dnssecOk && !compactOk ? { ...found, rcode: rcodes.noError } : found
}

// ---- Delegated and redirected names --------------------------------------------------------------------------------

function referral(zone: ZoneImage, cut: NameKey, { dnssecOk }: Question): Found {
  const node = zone.nodes.get(cut)!
  const servers = owned(node, cut, NS.code)!
  // Other clients than validators have no use for DS records (RFC 4035, 3.1.4).
  const denial = dnssecOk ? zone.denial : undefined
  const signer = denial && owned(node, cut, DS.code)
  const proof = signer ? [signer] : (denial?.noRecords(cut) ?? [])
  const bare = bareAnswer(rcodes.noError, false, `${cut}${NS.code}`)
  return { ...bare, authority: [servers, ...proof], additional: glueFor(zone, servers) }
}

/** The DNAME record above a name, and the CNAME record that follows from it (RFC 6672, 3.1), which nobody has signed. */
function redirection(zone: ZoneImage, owner: NameKey, { name, type }: Question): Found {
  const dname = owned(zone.nodes.get(owner)!, owner, DNAME)!
  const { ttl, data } = dname.rrset
  const target = name.slice(0, -owner.length) + (plainNameAt(data[0]!, 0) ?? '')
  const countedAs = `${owner}${DNAME}`
  if (target.length > maxNameBytes) return { ...bareAnswer(rcodes.nameTooLong, true, countedAs), answer: [dname] }
  const cname = { type: CNAME.code, ttl, data: [Buffer.from(target, 'latin1')] }
  const isAnswer = type === CNAME.code || type === queryTypes.any
  return {
    ...bareAnswer(rcodes.noError, true, countedAs),
    answer: [dname, { owner: name, rrset: cname }],
    alias: isAnswer ? undefined : lowerName(target),
  }
}

/** The nearest ancestor of a name that exists. */
function closestEncloser(zone: ZoneImage, name: NameKey): NameKey {
  let encloser = parentName(name)
  while (encloser !== undefined && !zone.nodes.has(encloser)) encloser = parentName(encloser)
  return encloser ?? zone.origin
}
