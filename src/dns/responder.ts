/**
 * From the bytes of a query to those of its answer. What was answered once is kept as bytes for as long as no zone that
 * it was made of changes; then an answer costs a look into a table, a copy, and the caller's own id and question.
 */
import { lowerName, type NameKey } from '../net/dns/names.ts'
import { recordTypes } from '../net/dns/rdata.ts'
import type { AddressNames } from './addresses.ts'
import { lookUp } from './lookup.ts'
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
import type { Entry, Registry } from './registry.ts'
import type { ResponseRateLimiter } from './response-rate.ts'
import type { ZoneImage } from './zone-image.ts'

export interface ResponderOptions {
  readonly registry: Registry
  readonly addresses: AddressNames
  /** A zone that only some may know of, by a name in it and the address of who asks. */
  readonly reserved: (name: NameKey, address: string) => ZoneImage | undefined
  /** Answers a NOTIFY message; the address is the sender's. */
  readonly onNotify: (query: Query, address: string) => Promise<Buffer | undefined>
  /** Judges answers over UDP; undefined when all are sent. */
  readonly limiter: ResponseRateLimiter | undefined
}

/** An answer as bytes, and what it is counted as; undefined when it is sent in any case. */
interface Made {
  readonly bytes: Buffer
  readonly countedAs: string | undefined
}

/** An answer that is ready, and of which versions of which zones it was made. */
interface Ready extends Made {
  readonly madeOf: readonly (readonly [entry: Entry, image: ZoneImage, version: number])[]
}

/** Most answers of a generation: when one is full the one before it is forgotten, and what is asked often goes over. */
const mostReady = 50_000
/** Longest question whose answer is kept; each has a key as long as itself. */
const longestReady = 200
const internet = 1
/** What is answered while the database is away and is needed. */
const failed = { answer: bareAnswer(rcodes.serverFailure), madeOf: [] }
const anyClass = 255

export class Responder {
  readonly #options: ResponderOptions
  #ready = new Map<string, Ready>()
  #older = new Map<string, Ready>()

  constructor(options: ResponderOptions) {
    this.#options = options
  }

  /** Answers a message that came over UDP; undefined when it is not worth an answer. */
  udp(bytes: Buffer, address: string): Buffer | undefined | Promise<Buffer | undefined> {
    const ready = this.#options.registry.isFresh ? this.#recall(bytes) : undefined
    if (!ready) return this.#make(bytes, address, false).then((made) => made && this.#limited(made, address))
    return this.#limited({ bytes: answerTo(bytes, ready), countedAs: ready.countedAs }, address)
  }

  /** Answers a message that came over TCP. Transfers are not made here. */
  async tcp(bytes: Buffer, address: string): Promise<Buffer | undefined> {
    return (await this.#make(bytes, address, true))?.bytes
  }

  #limited({ bytes, countedAs }: Made, address: string): Buffer | undefined {
    const { limiter } = this.#options
    const ruling = limiter && countedAs !== undefined ? limiter.judge(address, countedAs) : 'send'
    return ruling === 'send' ? bytes : ruling === 'truncate' ? truncated(bytes) : undefined
  }

  // ---- Answers that are ready ---------------------------------------------------------------------------------------

  /** The ready answer to a query that looks like one that was answered before. */
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
      // The image too: the zone may have been deleted, and another be there by its name.
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
    // Who wants to know what has changed is told the serial, and can come for the whole over TCP (RFC 1995, 2).
    const type = query.type === queryTypes.ixfr ? recordTypes.SOA.code : query.type
    const { answer, madeOf } = await this.#lookUp({ ...query, type }, address).catch(() => failed)
    const { countedAs } = answer
    const made = { bytes: writeAnswer(query, answer, limit), countedAs }
    const key = madeOf.length > 0 && !isTcp ? readyKey(bytes) : undefined
    if (key !== undefined) this.#keep(key, { ...made, madeOf })
    return made
  }

  /** A primary whose word counts is answered in any case: it may have much to say. */
  async #heard(query: Query, address: string): Promise<Made | undefined> {
    const bytes = await this.#options.onNotify(query, address)
    const isRefused = bytes !== undefined && (bytes[3]! & 0xf) !== rcodes.noError
    return bytes && { bytes, countedAs: isRefused ? countedAsError : undefined }
  }

  async #lookUp({ name, type }: Query, address: string): Promise<{ answer: Answer; madeOf: Ready['madeOf'] }> {
    const { registry, addresses, reserved } = this.#options
    const own = reserved(name, address)
    if (own) return { answer: lookUp(own, name, type, () => undefined), madeOf: [] }
    const entry = registry.find(name)
    const reverse = addresses.find(name)
    if (reverse && reverse.origin.length > (entry?.key.length ?? 0)) {
      return { answer: await addresses.answer(reverse, name, type), madeOf: [] }
    }
    if (!entry) return { answer: bareAnswer(rcodes.refused), madeOf: [] }
    return this.#follow(entry, name, type)
  }

  /** Answers from a zone, and loads those that its aliases lead to until none is missing. */
  async #follow(first: Entry, name: NameKey, type: number): Promise<{ answer: Answer; madeOf: Ready['madeOf'] }> {
    const { registry } = this.#options
    const images = new Map<Entry, ZoneImage | undefined>()
    for (let next: Entry | undefined = first; next; ) {
      images.set(next, await usable(registry, next))
      const zone = images.get(first)
      if (!zone) return { answer: bareAnswer(rcodes.serverFailure), madeOf: [] }
      let missing: Entry | undefined
      const answer = lookUp(zone, name, type, (target) => {
        const entry = registry.find(target)
        if (entry && !images.has(entry)) missing = entry
        return entry && images.get(entry)
      })
      const madeOf = [...images].flatMap(([entry, image]) => (image ? [[entry, image, image.version] as const] : []))
      // An answer that leaves out a zone that cannot be served now is not kept.
      if (!missing) return { answer, madeOf: madeOf.length === images.size ? madeOf : [] }
      next = missing
    }
    throw new Error('unreachable')
  }
}

/** The content of a zone that may be served. While the database is away, what was known last is better than nothing. */
async function usable(registry: Registry, entry: Entry): Promise<ZoneImage | undefined> {
  const image = await registry.load(entry).catch(() => entry.image)
  return image?.soa && !entry.zone.isStale ? image : undefined
}

/** A ready answer with the id and the question of a query. */
function answerTo(query: Buffer, ready: Ready): Buffer {
  const answer = Buffer.from(ready.bytes)
  answer[0] = query[0]!
  answer[1] = query[1]!
  answer[2] = (answer[2]! & 0xfe) | (query[2]! & 1)
  // The question as it was asked: who mixes the case of its letters looks for them in the answer.
  for (let at = headerBytes; query[at] !== 0; at += query[at]! + 1) query.copy(answer, at, at, at + query[at]! + 1)
  return answer
}

/** The response code for what is not even looked up; undefined for a question that is. */
function refusalOf({ edns, type, class: asked }: Query, isTcp: boolean): number | undefined {
  if (edns && edns.version > 0) return rcodes.badVersion
  if (asked !== internet && asked !== anyClass) return rcodes.refused
  if (type === queryTypes.axfr) return isTcp ? rcodes.refused : rcodes.formatError
  const isMeta = type === 0 || type === queryTypes.opt || (type >= 128 && type < queryTypes.any)
  return isMeta && type !== queryTypes.ixfr ? rcodes.notImplemented : undefined
}

/**
 * The key of a query that is as simple as nearly all are: one question, no other record than OPT without options. What
 * differs in anything else than id, recursion and case has another key. Undefined for other messages.
 */
function readyKey(bytes: Buffer): string | undefined {
  const { length } = bytes
  if (length < 17 || length > longestReady) return undefined
  // QR, opcode, AA and TC must be 0; of the counts, one question and at most one additional record.
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

/** Root, type OPT, version 0; options (cookies among them) are not answered and so make no difference. */
function isPlainOpt(bytes: Buffer, at: number): boolean {
  const isOpt = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === queryTypes.opt
  return isOpt && bytes[at + 5] === 0 && bytes[at + 6] === 0 && at + 11 + bytes.readUInt16BE(at + 9) === bytes.length
}

function ednsKey(bytes: Buffer, at: number): string {
  const udpBytes = Math.min(Math.max(bytes.readUInt16BE(at + 3), 512), maxUdpBytes)
  return `${udpBytes}${(bytes[at + 7]! & 0x80) !== 0 ? 'd' : ''}`
}
