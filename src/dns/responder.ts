/**
 * Turns the bytes of a query into those of its answer. Answers are cached as bytes for as long as none of the zones
 * they were made from changes; a cache hit costs a map look-up, a copy, and patching in the client's id and question.
 */
import { lowerName, type NameKey } from '../protocols/net/dns/names.ts'
import { recordTypes } from '../protocols/net/dns/rdata.ts'
import type { AddressNames } from './addresses.ts'
import { lookUp, type Question } from './lookup.ts'
import {
  type Answer,
  bareAnswer,
  countedAsError,
  headerBytes,
  maxTcpBytes,
  maxUdpBytes,
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
import type { ResponseRateLimiter } from './response-rate.ts'
import type { ZoneImage } from './zone-image.ts'

export interface ResponderOptions {
  readonly registry: Registry
  readonly addresses: AddressNames
  /** Finds a zone that only some clients may see, by a name in it and the client's address. */
  readonly reserved: (name: NameKey, address: string) => ZoneImage | undefined
  /** Answers a NOTIFY message from an address. */
  readonly onNotify: (query: Query, address: string) => Promise<Buffer | undefined>
  /** Limits the rate of UDP answers; undefined sends all of them. */
  readonly limiter: ResponseRateLimiter | undefined
}

/** An answer as bytes with its rate limit key; an undefined key exempts it from the limit. */
interface Made {
  readonly bytes: Buffer
  readonly countedAs: string | undefined
}

/** A cached answer with the zone versions that it was made from. */
interface Ready extends Made {
  readonly madeOf: readonly (readonly [entry: RegisteredZone, image: ZoneImage, version: number])[]
}

/**
 * The size of a cache generation. A full generation replaces the older one; entries in use are copied to the new one.
 */
const mostReady = 50_000
/** The maximum length of a question whose answer is cached, because the cache key is as long as the question. */
const longestReady = 200
const internet = 1
/** The answer when the database is needed and unavailable. */
const failed = { answer: bareAnswer(rcodes.serverFailure), madeOf: [] }
const anyClass = 255

export class Responder {
  readonly #options: ResponderOptions
  #ready = new Map<string, Ready>()
  #older = new Map<string, Ready>()

  constructor(options: ResponderOptions) {
    this.#options = options
  }

  /** Answers a UDP message; undefined when it is to be ignored. */
  udp(bytes: Buffer, address: string): Buffer | undefined | Promise<Buffer | undefined> {
    const ready = this.#options.registry.isFresh ? this.#recall(bytes) : undefined
    if (!ready) return this.#make(bytes, address, false).then((made) => made && this.#limited(made, address))
    return this.#limited({ bytes: answerTo(bytes, ready), countedAs: ready.countedAs }, address)
  }

  /** Answers a message that came over TCP; zone transfers are handled elsewhere. */
  async tcp(bytes: Buffer, address: string): Promise<Buffer | undefined> {
    return (await this.#make(bytes, address, true))?.bytes
  }

  #limited({ bytes, countedAs }: Made, address: string): Buffer | undefined {
    const { limiter } = this.#options
    const ruling = limiter && countedAs !== undefined ? limiter.judge(address, countedAs) : 'send'
    return ruling === 'send' ? bytes : ruling === 'truncate' ? truncated(bytes) : undefined
  }

  // ---- Answer cache -------------------------------------------------------------------------------------------------

  /** Looks up the cached answer to a query. */
  #recall(bytes: Buffer): Ready | undefined {
    const key = readyKey(bytes)
    if (key === undefined) return undefined
    let ready = this.#ready.get(key)
    if (!ready) {
      ready = this.#older.get(key)
      if (!ready) return undefined
      this.#keep(key, ready)
    }
    for (const [entry, image, version] of ready.madeOf) {
      // Compare images as well as versions: the zone may have been deleted and created again under the same name.
      if (entry.image !== image || entry.zone.version !== version || image.version !== version) {
        this.#ready.delete(key)
        this.#older.delete(key)
        return undefined
      }
    }
    return ready
  }

  #keep(key: string, ready: Ready): void {
    if (this.#ready.size >= mostReady) {
      this.#older = this.#ready
      this.#ready = new Map()
    }
    this.#ready.set(key, ready)
  }

  // ---- Making answers -----------------------------------------------------------------------------------------------

  async #make(bytes: Buffer, address: string, isTcp: boolean): Promise<Made | undefined> {
    const query = readQuery(bytes)
    if (query === 'ignore') return undefined
    if ('rcode' in query) return { bytes: writeRefusal(bytes, query.rcode), countedAs: countedAsError }
    if (query.opcode === opcodes.notify) return this.#heard(query, address)
    const limit = isTcp ? maxTcpBytes : udpLimit(query)
    const refusal = refusalOf(query, isTcp)
    if (refusal !== undefined)
      return { bytes: writeAnswer(query, bareAnswer(refusal), limit), countedAs: countedAsError }
    await this.#options.registry.refresh().catch(() => undefined)
    // IXFR over UDP may be answered with the SOA record alone; the client then transfers over TCP (RFC 1995, 2).
    const type = query.type === queryTypes.ixfr ? recordTypes.SOA.code : query.type
    const { answer, madeOf } = await this.#lookUp({ ...query, type }, address).catch(() => failed)
    const { countedAs } = answer
    const made = { bytes: writeAnswer(query, answer, limit), countedAs }
    const key = madeOf.length > 0 && !isTcp ? readyKey(bytes) : undefined
    if (key !== undefined) this.#keep(key, { ...made, madeOf })
    return made
  }

  /** Answers to accepted NOTIFY messages are exempt from the rate limit, because a primary may send many of them. */
  async #heard(query: Query, address: string): Promise<Made | undefined> {
    const bytes = await this.#options.onNotify(query, address)
    const isRefused = bytes !== undefined && (bytes[3]! & 0xf) !== rcodes.noError
    return bytes && { bytes, countedAs: isRefused ? countedAsError : undefined }
  }

  async #lookUp({ name, type, edns }: Query, address: string): Promise<{ answer: Answer; madeOf: Ready['madeOf'] }> {
    const { registry, addresses, reserved } = this.#options
    const question = { name, type, dnssecOk: edns?.dnssecOk ?? false }
    const own = reserved(name, address)
    if (own) return { answer: lookUp(own, question, () => undefined), madeOf: [] }
    const entry = registry.find(name)
    const reverse = addresses.find(name)
    if (reverse && reverse.origin.length > (entry?.key.length ?? 0)) {
      return { answer: await addresses.answer(reverse, name, type), madeOf: [] }
    }
    if (!entry) return { answer: bareAnswer(rcodes.refused), madeOf: [] }
    return this.#follow(entry, question)
  }

  /** Answers from a zone; loads the zones that its aliases lead to until none is missing. */
  async #follow(first: RegisteredZone, question: Question): Promise<{ answer: Answer; madeOf: Ready['madeOf'] }> {
    const { registry } = this.#options
    const images = new Map<RegisteredZone, ZoneImage | undefined>()
    for (let next: RegisteredZone | undefined = first; next; ) {
      images.set(next, await usable(registry, next))
      const zone = images.get(first)
      if (!zone) return { answer: bareAnswer(rcodes.serverFailure), madeOf: [] }
      let missing: RegisteredZone | undefined
      const answer = lookUp(zone, question, (target) => {
        const entry = registry.find(target)
        if (entry && !images.has(entry)) missing = entry
        return entry && images.get(entry)
      })
      const madeOf = [...images].flatMap(([entry, image]) => (image ? [[entry, image, image.version] as const] : []))
      // An answer that omits a zone that cannot be served now is not cached.
      if (!missing) return { answer, madeOf: madeOf.length === images.size ? madeOf : [] }
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

/** A cached answer with the id and the question of a query. */
function answerTo(query: Buffer, ready: Ready): Buffer {
  const answer = Buffer.allocUnsafe(ready.bytes.length)
  ready.bytes.copy(answer)
  answer[0] = query[0]!
  answer[1] = query[1]!
  answer[2] = (answer[2]! & 0xfe) | (query[2]! & 1)
  // Copy the question as it was sent: a client that randomizes the case of letters compares them with the answer.
  let end = headerBytes
  while (query[end] !== 0) end += query[end]! + 1
  query.copy(answer, headerBytes, headerBytes, end)
  return answer
}

/** The response code of a question that is refused without a look-up; undefined for any other. */
function refusalOf({ edns, type, class: asked }: Query, isTcp: boolean): number | undefined {
  if (edns && edns.version > 0) return rcodes.badVersion
  if (asked !== internet && asked !== anyClass) return rcodes.refused
  if (type === queryTypes.axfr) return isTcp ? rcodes.refused : rcodes.formatError
  const isMeta = type === 0 || type === queryTypes.opt || (type >= 128 && type < queryTypes.any)
  return isMeta && type !== queryTypes.ixfr ? rcodes.notImplemented : undefined
}

/**
 * The cache key of a query of the usual form: one question and no other record than OPT without options. Two queries
 * with the same key differ at most in id, RD flag and letter case. Undefined for messages of any other form.
 */
function readyKey(bytes: Buffer): string | undefined {
  const { length } = bytes
  if (length < 17 || length > longestReady) return undefined
  // QR, opcode, AA and TC must be 0; there must be one question and at most one additional record.
  if ((bytes[2]! & 0xfe) !== 0 || bytes[4] !== 0 || bytes[5] !== 1) return undefined
  if ((bytes[6]! | bytes[7]! | bytes[8]! | bytes[9]! | bytes[10]!) !== 0 || bytes[11]! > 1) return undefined
  let at = headerBytes
  while (at < length && bytes[at] !== 0) {
    if (bytes[at]! > 63) return undefined
    at += bytes[at]! + 1
  }
  const end = at + 5
  if (end > length) return undefined
  const question = lowerName(bytes.toString('latin1', headerBytes, at)) + bytes.toString('latin1', at, end)
  if (bytes[11] === 0) return end === length ? question : undefined
  return end + 11 <= length && isPlainOpt(bytes, end) ? `${question}${ednsKey(bytes, end)}` : undefined
}

/** Tells whether an OPT record has version 0; its options, such as cookies, do not affect the answer. */
function isPlainOpt(bytes: Buffer, at: number): boolean {
  const isOpt = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === queryTypes.opt
  return isOpt && bytes[at + 5] === 0 && bytes[at + 6] === 0 && at + 11 + bytes.readUInt16BE(at + 9) === bytes.length
}

function ednsKey(bytes: Buffer, at: number): string {
  const udpBytes = Math.min(Math.max(bytes.readUInt16BE(at + 3), 512), maxUdpBytes)
  return `${udpBytes}${(bytes[at + 7]! & 0x80) !== 0 ? 'd' : ''}`
}
