/**
 * Transfers a zone from another name server: asks for its serial, and when that is newer, for what has changed (IXFR, RFC
 * 1995) or for the whole zone (AXFR, RFC 5936). The answer is untrusted: its content is checked and its length is bounded.
 */
import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { TransferredRrset } from '../families/zones/effects.ts'
import { lineBytes, rrsetLimits, type ZoneLimits, zoneLimitProblem } from '../families/zones/limits.ts'
import type { PrimaryNameserver, Source } from '../families/zones/reads.ts'
import { turn } from '../kernel/process/turns.ts'
import { isWithin, lowerName, type NameKey, nameOf, printName, rootName } from '../protocols/net/dns/names.ts'
import { genericText, parseRdata, printRdata, recordTypes, typeName } from '../protocols/net/dns/rdata.ts'
import type { TsigKey } from '../protocols/net/dns/tsig-keys.ts'
import { headerBytes, readName, skipName } from '../protocols/net/dns/wire.ts'
import { dataProblem, storedType } from './dnssec.ts'
import { type ChangedRecord, FollowedZone } from './incremental.ts'
import { maxTcpBytes, queryTypes } from './message.ts'
import { isNewer } from './serials.ts'
import { framed, MessageStream } from './tcp-stream.ts'
import { AnswerCheck, sign } from './tsig.ts'

/** The fields of a zone's SOA record. Times are in seconds. */
export interface ZoneHead {
  readonly serial: number
  readonly refresh: number
  readonly retry: number
  readonly expire: number
}

/** A zone as its primary sent it. */
export interface Received extends ZoneHead {
  readonly rrsets: readonly TransferredRrset[]
}

/** The longest silence of a primary, in milliseconds. The caller bounds the whole transfer with `signal`. */
const silenceMs = 10_000

/**
 * The maximum length of a zone within its limits on the wire: record data is at most twice as long as its text, and
 * each record adds an owner name and, at worst, a message of its own with a question and a signature.
 */
const wireLimit = ({ records, textBytes }: ZoneLimits) => 2 * textBytes + 1_024 * (records + 2)

/** The class of all records of zones. */
const internet = 1

/** The length of type, class, TTL and data length, which stand between a record's owner and its data. */
const fixedBytes = 10

interface RawRecord {
  readonly owner: NameKey
  /** The owner relative to the zone; undefined for an owner outside of it. */
  readonly name: string | undefined
  readonly type: number
  /** The name of the type under which it is stored. */
  readonly typeText: string
  readonly ttl: number
  readonly value: string
  /** The length of the data with names uncompressed. */
  readonly dataBytes: number
}

export interface Asking {
  readonly limits: ZoneLimits
  readonly nowMs: () => number
  /** Aborts the transfer. */
  readonly signal: AbortSignal
}

/**
 * Asks a primary for the SOA record of a zone. Throws an error with a reason for the operator's log when that fails.
 */
export async function askSerial(source: Source, primary: PrimaryNameserver, asking: Asking): Promise<ZoneHead> {
  const zone = nameOf(source.name)
  const connection = await Connection.open(primary, asking)
  try {
    const first = await connection.ask(zone, recordTypes.SOA.code, tsigKey(zone, primary)).next()
    const soa = first.done ? undefined : first.value.find(({ type }) => type === recordTypes.SOA.code)
    if (!soa || soa.owner !== zone) throw new Error('it has no SOA record of the zone')
    return soaFields(soa.value)
  } finally {
    connection.close()
  }
}

/** Transfers a zone from a primary. Throws an error with a reason for the operator's log when that fails. */
export async function receiveZone(source: Source, primary: PrimaryNameserver, asking: Asking): Promise<Received> {
  const zone = nameOf(source.name)
  const connection = await Connection.open(primary, asking)
  try {
    return await receiveAll(each(connection.ask(zone, queryTypes.axfr, tsigKey(zone, primary))), zone)
  } finally {
    connection.close()
  }
}

/**
 * Transfers what a primary has changed in a zone since its serial, of which `rrsets` are all that it has. Throws an error
 * when that fails or does not fit: the whole zone is then to be transferred.
 */
export async function receiveChanges(
  source: Source,
  primary: PrimaryNameserver,
  asking: Asking,
  rrsets: readonly TransferredRrset[],
): Promise<Received> {
  const zone = nameOf(source.name)
  const connection = await Connection.open(primary, asking)
  try {
    const answer = each(connection.ask(zone, queryTypes.ixfr, tsigKey(zone, primary), source.serial))
    const last = await next(answer)
    if (!isSoaOf(last, zone) || !isNewer(soaFields(last.value).serial, source.serial))
      throw new Error('it has no changes')
    const first = await next(answer)
    // A primary that does not know the changes any more sends the whole zone.
    if (!isSoaOf(first, zone)) return await receiveAll(after([last, first], answer), zone)
    const followed = new FollowedZone(rrsets)
    followed.apply(await changesIn(answer, first, last), { ...last, name: '@' })
    return { ...soaFields(last.value), rrsets: followed.rrsets(asking.limits) }
  } finally {
    connection.close()
  }
}

const isSoaOf = ({ type, owner }: RawRecord, zone: NameKey) => type === recordTypes.SOA.code && owner === zone

/** The records between the first two SOA records of an answer and the repetition of the very first one. */
async function changesIn(
  answer: AsyncGenerator<RawRecord>,
  first: RawRecord,
  last: RawRecord,
): Promise<ChangedRecord[]> {
  const changes: ChangedRecord[] = [{ ...first, name: '@' }]
  for (let isAdding = false; ; ) {
    const { name, ...record } = await next(answer)
    const isSoa = record.type === recordTypes.SOA.code
    if (isSoa && isAdding && record.value === last.value) return changes
    if (isSoa) isAdding = !isAdding
    // Records outside of the zone are ignored (RFC 5936, 3.4).
    if (name !== undefined) changes.push({ ...record, name })
  }
}

/** The records of messages one by one. */
async function* each(messages: AsyncIterable<readonly RawRecord[]>): AsyncGenerator<RawRecord> {
  for await (const records of messages) yield* records
}

async function* after(read: readonly RawRecord[], rest: AsyncIterable<RawRecord>): AsyncGenerator<RawRecord> {
  yield* read
  yield* rest
}

async function next(records: AsyncGenerator<RawRecord>): Promise<RawRecord> {
  const step = await records.next()
  if (step.done) throw new Error('the transfer ended early')
  return step.value
}

/** Tells whether the serial of a primary is newer than ours, or the zone was never transferred. */
export function isNews(source: Source, { serial }: ZoneHead): boolean {
  return source.refreshed === null || isNewer(serial, source.serial)
}

/** The TSIG key of a primary; it is named after the zone. */
function tsigKey(zone: NameKey, { tsigAlgorithm, tsigKey: secret }: PrimaryNameserver): TsigKey | undefined {
  if (tsigAlgorithm === null || secret === null) return undefined
  return { name: zone, algorithm: tsigAlgorithm, secret: Buffer.from(secret, 'base64') }
}

/** An RRset that is being received. */
interface Draft {
  readonly name: string
  readonly type: string
  ttl: number
  readonly values: Set<string>
  dataBytes: number
}

async function receiveAll(records: AsyncIterable<RawRecord>, zone: NameKey): Promise<Received> {
  const rrsets = new Map<string, Draft>()
  let first: RawRecord | undefined
  for await (const record of records) {
    if (!first && !isSoaOf(record, zone)) throw new Error('the transfer does not begin with the SOA record')
    if (first && record.type === recordTypes.SOA.code) {
      if (record.value !== first.value) throw new Error('the zone changed during the transfer')
      return {
        ...soaFields(first.value),
        rrsets: [...rrsets.values()].map(({ name, type, ttl, values }) => ({ name, type, ttl, values: [...values] })),
      }
    }
    first ??= record
    add(rrsets, record)
  }
  throw new Error('the transfer ended early')
}

function add(rrsets: Map<string, Draft>, record: RawRecord): void {
  const { name, typeText: type } = record
  // Records outside of the zone are ignored (RFC 5936, 3.4).
  if (name === undefined) return
  const key = `${name}/${type}`
  const draft = rrsets.get(key) ?? { name, type, ttl: record.ttl, values: new Set(), dataBytes: 0 }
  if (draft.values.size === 0) rrsets.set(key, draft)
  // Records of an RRset have one TTL; where a primary sends several, the lowest one is safe (RFC 2181, 5.2).
  draft.ttl = Math.min(draft.ttl, record.ttl)
  if (draft.values.has(record.value)) return
  draft.values.add(record.value)
  draft.dataBytes += record.dataBytes + fixedBytes
  if (draft.values.size > rrsetLimits.records) throw new Error(`${key} has more than ${rrsetLimits.records} records`)
  if (draft.dataBytes > rrsetLimits.dataBytes) throw new Error(`${key} has more than ${rrsetLimits.dataBytes} bytes`)
}

function relativeName(owner: NameKey, zone: NameKey): string | undefined {
  if (!isWithin(owner, zone)) return undefined
  return owner === zone ? '@' : printName(`${owner.slice(0, owner.length - zone.length)}\0`).slice(0, -1)
}

function soaFields(value: string): ZoneHead {
  const [serial = 0, refresh = 0, retry = 0, expire = 0] = value.split(' ').slice(2).map(Number)
  return { serial, refresh, retry, expire }
}

/** A connection to a primary for one question. */
class Connection {
  readonly #socket: Socket
  readonly #asking: Asking
  readonly #messages: AsyncGenerator<Buffer>

  private constructor(socket: Socket, asking: Asking) {
    this.#socket = socket
    this.#asking = asking
    this.#messages = messagesOf(socket, wireLimit(asking.limits))
  }

  static open({ address, port }: PrimaryNameserver, asking: Asking): Promise<Connection> {
    const { signal } = asking
    const socket = connect({ host: address, port, timeout: silenceMs, signal })
    socket.on('timeout', () => socket.destroy(new Error('it was silent for too long')))
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket, asking))
      })
    })
  }

  /** Asks a question, with the serial that is known here if that matters, and yields the records of each answer message until the caller stops. */
  async *ask(zone: NameKey, type: number, key: TsigKey | undefined, serial?: number): AsyncGenerator<RawRecord[]> {
    const { limits, nowMs } = this.#asking
    const meter = new Meter(limits)
    const id = randomInt(65_536)
    const query = queryMessage(id, zone, type, serial)
    const signed = key && sign(query, key, { seconds: Math.floor(nowMs() / 1_000) })
    this.#socket.write(framed(signed?.message ?? query))
    const check = key && signed && new AnswerCheck(key, signed.mac, nowMs)
    let waiting: RawRecord[] = []
    for (;;) {
      const step = await this.#messages.next()
      if (step.done) throw new Error('it closed the connection')
      const message = step.value
      if (message.length < headerBytes || message.readUInt16BE(0) !== id)
        throw new Error('its answer does not match the question')
      check?.take(message)
      const rcode = message[3]! & 0xf
      if (rcode !== 0) throw new Error(`it answered with response code ${rcode}`)
      for (const record of readRecords(message, zone)) {
        meter.add(record)
        waiting.push(record)
        await turn()
      }
      // Records are passed on only after their signature has been verified.
      if (check && !check.isComplete) continue
      yield waiting
      waiting = []
    }
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Counts what a primary sends before any of it is kept. */
class Meter {
  readonly #limits: ZoneLimits
  #records = 0
  #textBytes = 0

  constructor(limits: ZoneLimits) {
    this.#limits = limits
  }

  /** Throws when the zone with this record exceeds its limits. */
  add({ owner, name = owner, type, typeText, value }: RawRecord): void {
    // A transfer begins and ends with the same SOA record, which counts once.
    if (type !== recordTypes.SOA.code || this.#records === 0) this.#records++
    this.#textBytes += lineBytes({ name, type: typeText, value })
    const problem = zoneLimitProblem({ records: this.#records, textBytes: this.#textBytes }, this.#limits)
    if (problem !== undefined) throw new Error(problem)
  }
}

async function* messagesOf(socket: Socket, mostBytes: number): AsyncGenerator<Buffer> {
  const stream = new MessageStream(maxTcpBytes)
  let bytes = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`it sent more than ${mostBytes} bytes`)
    yield* stream.take(chunk)
  }
}

function queryMessage(id: number, zone: NameKey, type: number, serial: number | undefined): Buffer {
  const head = Buffer.alloc(headerBytes)
  head.writeUInt16BE(id, 0)
  head[5] = 1
  const question = [Buffer.from(zone, 'latin1'), Buffer.of(type >> 8, type & 0xff, 0, 1)]
  if (serial === undefined) return Buffer.concat([head, ...question])
  head[9] = 1
  return Buffer.concat([head, ...question, knownSoa(serial)])
}

/** The SOA record with a serial that a query for changes has in its authority section (RFC 1995, 3). */
function knownSoa(serial: number): Buffer {
  const ownerAndType = [0xc0, headerBytes, 0, recordTypes.SOA.code, 0, 1]
  const data = Buffer.alloc(22)
  data.writeUInt32BE(serial, 2)
  return Buffer.concat([Buffer.from([...ownerAndType, 0, 0, 0, 0, 0, data.length]), data])
}

/** Yields the records of the answer section. Throws on a malformed message. */
function* readRecords(message: Buffer, zone: NameKey): Generator<RawRecord> {
  let at = headerBytes
  for (let question = message.readUInt16BE(4); question > 0; question--) at = checked(skipName(message, at)) + 4
  for (let index = message.readUInt16BE(6); index > 0; index--) {
    const name = readName(message, at)
    const fixed = checked(skipName(message, at))
    if (name === undefined || fixed + fixedBytes > message.length) throw new Error('it sent a malformed message')
    const type = message.readUInt16BE(fixed)
    const end = fixed + fixedBytes + message.readUInt16BE(fixed + 8)
    if (end > message.length) throw new Error('it sent a malformed message')
    if (message.readUInt16BE(fixed + 2) !== internet) throw new Error('it sent a record of another class than IN')
    const data = withoutPointers(message, type, fixed + fixedBytes, end)
    const ttl = Math.min(message.readUInt32BE(fixed + 4), 2 ** 31 - 1)
    const owner = lowerName(name)
    const value = textOf(type, data)
    const typeText = storedType(type, data)
    yield { owner, name: relativeName(owner, zone), type, typeText, ttl, value, dataBytes: data.length }
    at = end
  }
}

function checked(place: number): number {
  if (place < 0) throw new Error('it sent a malformed message')
  return place
}

/** Data as the text that is stored, which is read as the same bytes again. */
function textOf(type: number, data: Buffer): string {
  const problem = dataProblem(type, data)
  if (problem !== undefined) throw new Error(`it sent ${problem}`)
  const value = printRdata(typeName(type), data)
  if (value === undefined) throw new Error(`it sent a malformed ${typeName(type)} record`)
  const read = parseRdata(typeName(type), value, rootName)
  return read.ok && read.bytes.equals(data) ? value : genericText(data)
}

/**
 * The number of bytes and then of strings before the names, and the number of names, of each type whose names other name
 * servers may compress (RFC 3597, 4).
 */
const compressedTypes = new Map<number, readonly [bytes: number, strings: number, names: number]>([
  ...[2, 3, 4, 5, 7, 8, 9, 12].map((type) => [type, [0, 0, 1]] as const), // NS, MD, MF, CNAME, MB, MG, MR, PTR
  ...[6, 14, 17].map((type) => [type, [0, 0, 2]] as const), // SOA, MINFO, RP
  ...[15, 18, 21].map((type) => [type, [2, 0, 1]] as const), // MX, AFSDB, RT
  [26, [2, 0, 2]], // PX
  [33, [6, 0, 1]], // SRV
  [35, [4, 3, 1]], // NAPTR
])

function withoutPointers(message: Buffer, type: number, start: number, end: number): Buffer {
  const [bytes, strings, names] = compressedTypes.get(type) ?? [0, 0, 0]
  if (names === 0) return message.subarray(start, end)
  let at = start + bytes
  for (let index = 0; index < strings; index++) at += 1 + (message[at] ?? 0)
  const parts = [message.subarray(start, at)]
  for (let index = 0; index < names; index++) {
    const name = readName(message, at)
    if (name === undefined) throw new Error(`it sent a malformed ${typeName(type)} record`)
    parts.push(Buffer.from(name, 'latin1'))
    at = checked(skipName(message, at))
  }
  if (at > end) throw new Error(`it sent a malformed ${typeName(type)} record`)
  return Buffer.concat([...parts, message.subarray(at, end)])
}
