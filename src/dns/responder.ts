/**
 * Turns the bytes of a query into those of its answer. Answers are kept as bytes for as long as none of the zones they
 * were made from changes.
 */
import type { NameKey } from '../protocols/net/dns/names.ts'
import { recordTypes } from '../protocols/net/dns/rdata.ts'
import type { TsigKey } from '../protocols/net/dns/tsig-keys.ts'
import type { AddressNames } from './addresses.ts'
import { answerTo, type Keepable, KeptAnswers, type Source } from './kept-answers.ts'
import { lookUp, type Question } from './lookup.ts'
import {
  type Answer,
  bareAnswer,
  countedAsError,
  maxTcpBytes,
  opcodes,
  type Query,
  queryTypes,
  rcodes,
  readQuery,
  truncated,
  udpLimit,
  writeAnswer,
  writeRefusal,
} from './message.ts'
import type { RegisteredZone, Registry } from './registry.ts'
import type { ResponseRateLimiter, Ruling } from './response-rate.ts'
import { Allowance, SignaturesSpent } from './signing/allowance.ts'
import type { ZoneImage } from './zone-image.ts'

export interface ResponderOptions {
  readonly registry: Registry
  readonly addresses: AddressNames
  /** Finds a zone that only some clients may see, by a name in it. */
  readonly reserved: (name: NameKey, client: DnsClient) => ZoneImage | undefined
  /** Answers a NOTIFY message from an address. */
  readonly onNotify: (query: Query, address: string) => Promise<Buffer | undefined>
  /** Limits the rate of UDP answers; undefined sends all of them. */
  readonly limiter: ResponseRateLimiter | undefined
  /** Signatures per second for names that zones do not have, over each of UDP and TCP. */
  readonly signatures: number
  /** The time by which signatures last, in milliseconds. */
  readonly nowMs: () => number
}

/** A client: where it asks from, and the key with which its question was signed, if any. */
export interface DnsClient {
  readonly address: string
  readonly key?: TsigKey | undefined
}

/** An answer as bytes with its rate limit key; an undefined key exempts it from the limit. */
interface Made {
  readonly bytes: Buffer
  readonly countedAs: string | undefined
}

/** An answer and what it was made from; nothing when it is not to be kept. */
interface FoundAnswer extends Partial<Pick<Keepable, 'comings'>> {
  readonly answer: Answer
  readonly sources: readonly Source[]
}

const internet = 1
/** The answer when the database is needed and unavailable. */
const failed: FoundAnswer = { answer: bareAnswer(rcodes.serverFailure), sources: [] }
/** The answer over UDP that would need a signature when there is none left: the client asks again over TCP. */
const overTcp: FoundAnswer = { answer: bareAnswer(rcodes.noError, true), sources: [] }
const anyClass = 255
const nxName = 128

export class Responder {
  readonly #options: ResponderOptions
  readonly #kept: KeptAnswers
  readonly #allowances: { readonly udp: Allowance; readonly tcp: Allowance }

  constructor(options: ResponderOptions) {
    this.#options = options
    this.#kept = new KeptAnswers(options.nowMs)
    const { signatures } = options
    this.#allowances = { udp: new Allowance(signatures), tcp: new Allowance(signatures) }
  }

  /** Answers a UDP message; undefined when it is to be ignored. */
  udp(bytes: Buffer, client: DnsClient): Buffer | undefined | Promise<Buffer | undefined> {
    const { registry } = this.#options
    const kept = registry.isFresh ? this.#kept.find(bytes, registry.comings) : undefined
    if (!kept) return this.#make(bytes, client, false).then((made) => made && this.#limited(made, client))
    const ruling = this.#rulingOn(kept.countedAs, client)
    return ruling === 'drop' ? undefined : ruled(answerTo(bytes, kept), ruling)
  }

  /** Answers a message that came over TCP; zone transfers are handled elsewhere. */
  async tcp(bytes: Buffer, client: DnsClient): Promise<Buffer | undefined> {
    return (await this.#make(bytes, client, true))?.bytes
  }

  /** A refusal over UDP as the rate limit wants it. */
  refusing(bytes: Buffer, client: DnsClient): Buffer | undefined {
    return this.#limited({ bytes, countedAs: countedAsError }, client)
  }

  #limited({ bytes, countedAs }: Made, client: DnsClient): Buffer | undefined {
    const ruling = this.#rulingOn(countedAs, client)
    return ruling === 'drop' ? undefined : ruled(bytes, ruling)
  }

  #rulingOn(countedAs: string | undefined, { address }: DnsClient): Ruling {
    const { limiter } = this.#options
    return limiter && countedAs !== undefined ? limiter.judge(address, countedAs) : 'send'
  }

  // ---- Making answers -----------------------------------------------------------------------------------------------

  async #make(bytes: Buffer, client: DnsClient, isTcp: boolean): Promise<Made | undefined> {
    const query = readQuery(bytes)
    if (query === 'ignore') return undefined
    if ('rcode' in query) return { bytes: writeRefusal(bytes, query.rcode), countedAs: countedAsError }
    if (query.opcode === opcodes.notify) return this.#heard(query, client.address)
    const limit = isTcp ? maxTcpBytes : udpLimit(query)
    const refusal = refusalOf(query, isTcp)
    if (refusal !== undefined)
      return { bytes: writeAnswer(query, bareAnswer(refusal), limit), countedAs: countedAsError }
    await this.#options.registry.refresh().catch(() => undefined)
    // IXFR over UDP may be answered with the SOA record alone; the client then transfers over TCP (RFC 1995, 2).
    const type = query.type === queryTypes.ixfr ? recordTypes.SOA.code : query.type
    const allowance = this.#allowances[isTcp ? 'tcp' : 'udp']
    const found = await this.#lookUp({ ...query, type }, client, allowance).catch((error: unknown) =>
      error instanceof SignaturesSpent && !isTcp ? overTcp : failed,
    )
    const { answer, sources, comings } = found
    const { countedAs, lasting } = answer
    const whole = writeAnswer(query, answer, limit)
    const made = { bytes: found === overTcp ? truncated(whole) : whole, countedAs }
    if (sources.length > 0 && !isTcp) this.#kept.keep(bytes, { ...made, sources, comings, lasting })
    return made
  }

  /** Answers to accepted NOTIFY messages are exempt from the rate limit, because a primary may send many of them. */
  async #heard(query: Query, address: string): Promise<Made | undefined> {
    const bytes = await this.#options.onNotify(query, address)
    const isRefused = bytes !== undefined && (bytes[3]! & 0xf) !== rcodes.noError
    return bytes && { bytes, countedAs: isRefused ? countedAsError : undefined }
  }

  async #lookUp({ name, type, edns }: Query, client: DnsClient, allowance: Allowance): Promise<FoundAnswer> {
    const { registry, addresses, reserved } = this.#options
    const { dnssecOk = false, compactOk = false } = edns ?? {}
    const question = { name, type, dnssecOk, compactOk, allowance }
    const own = reserved(name, client)
    if (own) return { answer: lookUp(own, question, () => undefined), sources: [] }
    const entry = registry.find(name)
    const reverse = addresses.find(name)
    if (reverse && reverse.origin.length > (entry?.key.length ?? 0)) {
      return { answer: await addresses.answer(reverse, name, type), sources: [] }
    }
    if (!entry) return { answer: bareAnswer(rcodes.refused), sources: [] }
    return this.#follow(entry, question)
  }

  /** Answers from a zone; loads the zones that its aliases lead to until none is missing. */
  async #follow(first: RegisteredZone, question: Question): Promise<FoundAnswer> {
    const { registry } = this.#options
    const images = new Map<RegisteredZone, ZoneImage | undefined>()
    for (let next: RegisteredZone | undefined = first; next; ) {
      images.set(next, await usable(registry, next))
      const zone = images.get(first)
      if (!zone) return { answer: bareAnswer(rcodes.serverFailure), sources: [] }
      let missing: RegisteredZone | undefined
      let comings: number | undefined
      const answer = lookUp(zone, question, (target) => {
        const entry = registry.find(target)
        if (!entry) comings = registry.comings
        else if (!images.has(entry)) missing = entry
        return entry && images.get(entry)
      })
      const sources = [...images].flatMap(([entry, image]) => (image ? [{ entry, image, version: image.version }] : []))
      // An answer that omits a zone that cannot be served now is not cached.
      if (!missing) return { answer, sources: sources.length === images.size ? sources : [], comings }
      next = missing
    }
    throw new Error('unreachable')
  }
}

/** The content of a zone that may be served. While the database is unavailable, the last known content is served. */
async function usable(registry: Registry, entry: RegisteredZone): Promise<ZoneImage | undefined> {
  const image = await registry.load(entry).catch(() => entry.image)
  return image?.soa && !entry.zone.isStale ? image : undefined
}

/** An answer as the rate limit wants it. */
const ruled = (bytes: Buffer, ruling: Exclude<Ruling, 'drop'>) => (ruling === 'send' ? bytes : truncated(bytes))

/** The response code of a question that is refused without a look-up; undefined for any other. */
function refusalOf({ edns, type, class: asked }: Query, isTcp: boolean): number | undefined {
  if (edns && edns.version > 0) return rcodes.badVersion
  if (asked !== internet && asked !== anyClass) return rcodes.refused
  if (type === queryTypes.axfr) return isTcp ? rcodes.refused : rcodes.formatError
  // A type that stands in denials alone (RFC 9824, 3.5).
  if (type === nxName) return rcodes.formatError
  const isMeta = type === 0 || type === queryTypes.opt || (type >= 128 && type < queryTypes.any)
  return isMeta && type !== queryTypes.ixfr ? rcodes.notImplemented : undefined
}
