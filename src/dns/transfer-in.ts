/**
 * A zone from another name server (AXFR, RFC 5936): asks for its serial, and for all of it when that is newer than what
 * is known. What comes is read with care: it may be anything, from anybody, and of any length.
 */
import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { PrimaryNameserver, Source } from '../families/zones/reads.ts'
import { isWithin, lowerName, type NameKey, nameOf, printName } from '../kernel/dns/names.ts'
import { isRecordType, printRdata, recordTypes, typeName } from '../kernel/dns/rdata.ts'
import { headerBytes, maxTcpBytes, queryTypes, readName, skipName } from './message.ts'
import { framed, MessageStream } from './tcp-stream.ts'
import { AnswerCheck, sign, type TsigKey } from './tsig.ts'

/** What a zone is, as its primary sent it. */
export interface Received {
  readonly serial: number
  /** Times of its SOA record in seconds. */
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  /** Undefined when nothing has changed since the serial that was known. */
  readonly rrsets: readonly ReceivedRrset[] | undefined
}

export interface ReceivedRrset {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** Most that a zone may have, and longest that its primary may be silent and take in all. */
const maxRecords = 100_000
const maxBytes = 64 * 1024 * 1024
const silenceMs = 10_000
const longestMs = 120_000

interface RawRecord {
  readonly owner: NameKey
  readonly type: number
  readonly ttl: number
  readonly value: string
}

/** Asks one primary. Throws an error with a reason for the operator's log when nothing usable came. */
export async function receiveZone(
  source: Source,
  primary: PrimaryNameserver,
  { nowMs, signal }: { readonly nowMs: () => number; readonly signal: AbortSignal },
): Promise<Received> {
  const zone = nameOf(source.name)
  const connection = await Connection.open(primary, signal)
  try {
    const first = await connection.ask(zone, recordTypes.SOA.code, tsigKey(zone, primary), nowMs).next()
    const soa = first.done ? undefined : first.value.find(({ type }) => type === recordTypes.SOA.code)
    if (!soa || soa.owner !== zone) throw new Error('it has no SOA record of the zone')
    const head = soaFields(soa.value)
    const isKnown = source.refreshed !== null && !isNewer(head.serial, source.serial)
    if (isKnown) return { ...head, rrsets: undefined }
    return await receiveAll(connection, zone, tsigKey(zone, primary), nowMs)
  } finally {
    connection.close()
  }
}

/** The key's name is the name of the zone. */
function tsigKey(zone: NameKey, { tsigAlgorithm, tsigKey: secret }: PrimaryNameserver): TsigKey | undefined {
  if (tsigAlgorithm === null || secret === null) return undefined
  return { name: zone, algorithm: tsigAlgorithm, secret: Buffer.from(secret, 'base64') }
}

async function receiveAll(
  connection: Connection,
  zone: NameKey,
  key: TsigKey | undefined,
  nowMs: () => number,
): Promise<Received> {
  const rrsets = new Map<string, { name: string; type: string; ttl: number; values: Set<string> }>()
  let first: RawRecord | undefined
  let count = 0
  for await (const records of connection.ask(zone, queryTypes.axfr, key, nowMs)) {
    for (const record of records) {
      const isSoa = record.type === recordTypes.SOA.code
      if (!first && !(isSoa && record.owner === zone))
        throw new Error('the transfer does not begin with the SOA record')
      if (first && isSoa) {
        if (record.value !== first.value) throw new Error('the zone changed during the transfer')
        return {
          ...soaFields(first.value),
          rrsets: [...rrsets.values()].map((one) => ({ ...one, values: [...one.values] })),
        }
      }
      first ??= record
      if (++count > maxRecords) throw new Error(`the zone has more than ${maxRecords} records`)
      add(rrsets, zone, record)
    }
  }
  throw new Error('the transfer ended early')
}

function add(
  rrsets: Map<string, { name: string; type: string; ttl: number; values: Set<string> }>,
  zone: NameKey,
  { owner, type, ttl, value }: RawRecord,
): void {
  // What lies outside the zone is none of its business (RFC 5936, 3.4).
  if (!isWithin(owner, zone)) return
  const name = owner === zone ? '@' : printName(`${owner.slice(0, owner.length - zone.length)}\0`).slice(0, -1)
  const key = `${name}/${typeName(type)}`
  const known = rrsets.get(key)
  if (known) known.values.add(value)
  else rrsets.set(key, { name, type: typeName(type), ttl, values: new Set([value]) })
}

function soaFields(value: string) {
  const [serial = 0, refresh = 0, retry = 0, expire = 0] = value.split(' ').slice(2).map(Number)
  return { serial, refresh, retry, expire }
}

/** Whether a serial comes after another one (RFC 1982, 3.2). */
function isNewer(serial: number, known: number): boolean {
  const distance = (serial - known) >>> 0
  return distance !== 0 && distance < 2 ** 31
}

/** One connection to a primary. */
class Connection {
  readonly #socket: Socket
  readonly #messages: AsyncGenerator<Buffer>

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#messages = messagesOf(socket)
  }

  static open({ address, port }: PrimaryNameserver, signal: AbortSignal): Promise<Connection> {
    const socket = connect({ host: address, port, timeout: silenceMs, signal })
    socket.on('timeout', () => socket.destroy(new Error('it was silent for too long')))
    const tooLong = setTimeout(() => socket.destroy(new Error('it took too long')), longestMs)
    socket.once('close', () => clearTimeout(tooLong))
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket))
      })
    })
  }

  /** Asks, and yields the records of each message of the answer until the caller has enough. */
  async *ask(zone: NameKey, type: number, key: TsigKey | undefined, nowMs: () => number): AsyncGenerator<RawRecord[]> {
    const id = randomInt(65_536)
    const query = queryMessage(id, zone, type)
    const signed = key && sign(query, key, nowMs())
    this.#socket.write(framed(signed?.message ?? query))
    const check = key && signed && new AnswerCheck(key, signed.mac, nowMs)
    let waiting: RawRecord[] = []
    for (;;) {
      const step = await this.#messages.next()
      if (step.done) throw new Error('it closed the connection')
      const message = step.value
      if (message.length < headerBytes || message.readUInt16BE(0) !== id) throw new Error('it answered something else')
      check?.take(message)
      const rcode = message[3]! & 0xf
      if (rcode !== 0) throw new Error(`it answered with response code ${rcode}`)
      waiting.push(...readRecords(message))
      // Nothing is believed before it was signed.
      if (check && !check.isComplete) continue
      yield waiting
      waiting = []
    }
  }

  close(): void {
    this.#socket.destroy()
  }
}

async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  const stream = new MessageStream(maxTcpBytes)
  let bytes = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the zone is too large')
    yield* stream.take(chunk)
  }
}

function queryMessage(id: number, zone: NameKey, type: number): Buffer {
  const head = Buffer.alloc(headerBytes)
  head.writeUInt16BE(id, 0)
  head[5] = 1
  return Buffer.concat([head, Buffer.from(zone, 'latin1'), Buffer.of(type >> 8, type & 0xff, 0, 1)])
}

/** The records of the answer section. Throws on a malformed message. */
function readRecords(message: Buffer): RawRecord[] {
  let at = headerBytes
  for (let question = message.readUInt16BE(4); question > 0; question--) at = checked(skipName(message, at)) + 4
  const records: RawRecord[] = []
  for (let index = message.readUInt16BE(6); index > 0; index--) {
    const owner = readName(message, at)
    const fixed = checked(skipName(message, at))
    if (owner === undefined || fixed + 10 > message.length) throw new Error('it sent a malformed message')
    const type = message.readUInt16BE(fixed)
    const end = fixed + 10 + message.readUInt16BE(fixed + 8)
    if (end > message.length) throw new Error('it sent a malformed message')
    const value = textOf(message, type, fixed + 10, end)
    const ttl = Math.min(message.readUInt32BE(fixed + 4), 2 ** 31 - 1)
    records.push({ owner: lowerName(owner), type, ttl, value })
    at = end
  }
  return records
}

function checked(place: number): number {
  if (place < 0) throw new Error('it sent a malformed message')
  return place
}

function textOf(message: Buffer, type: number, start: number, end: number): string {
  const value = printRdata(typeName(type), withoutPointers(message, typeName(type), start, end))
  if (value === undefined) throw new Error(`it sent a malformed ${typeName(type)} record`)
  return value
}

/** How many bytes stand before the names of the types whose names may be compressed, and how many names they have. */
const compressedTypes: Readonly<Record<string, readonly [before: number, names: number]>> = {
  CNAME: [0, 1],
  NS: [0, 1],
  PTR: [0, 1],
  MX: [2, 1],
  RP: [0, 2],
  SOA: [0, 2],
  SRV: [6, 1],
}

function withoutPointers(message: Buffer, type: string, start: number, end: number): Buffer {
  const [before, names] = (isRecordType(type) && compressedTypes[type]) || [0, 0]
  if (names === 0) return message.subarray(start, end)
  const parts = [message.subarray(start, start + before)]
  let at = start + before
  for (let index = 0; index < names; index++) {
    const name = readName(message, at)
    if (name === undefined) throw new Error(`it sent a malformed ${type} record`)
    parts.push(Buffer.from(name, 'latin1'))
    at = checked(skipName(message, at))
  }
  if (at > end) throw new Error(`it sent a malformed ${type} record`)
  return Buffer.concat([...parts, message.subarray(at, end)])
}
