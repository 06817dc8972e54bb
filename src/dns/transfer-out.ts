/**
 * Zones for secondary name servers: transfer of whole zones (AXFR, RFC 5936) and of changes (IXFR, RFC 1995) over TCP, and
 * notifications of changes (NOTIFY, RFC 1996). The operator names the servers that may transfer every zone.
 */
import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { type NameKey, nameOf } from '../protocols/net/dns/names.ts'
import { recordTypes } from '../protocols/net/dns/rdata.ts'
import type { TsigKey } from '../protocols/net/dns/tsig-keys.ts'
import { headerBytes, skipName } from '../protocols/net/dns/wire.ts'
import { opcodes, type Query, queryTypes, recordsOf } from './message.ts'
import { isNewer } from './serials.ts'
import { wholeSigned } from './signing/whole-zone.ts'
import { AnswerCheck, sign } from './tsig.ts'
import type { ZoneImage } from './zone-image.ts'

/** A name server that may transfer our zones and is notified of changes. */
export interface Secondary {
  readonly address: string
  readonly port: number
  /** The key with which its questions are signed, and so is what it is notified of; undefined when its address is enough. */
  readonly key?: TsigKey | undefined
}

/** The target length of the records in one transfer message. */
const messageBytes = 16_000

/** Yields the messages of a transfer in order. */
export function transferMessages(query: Query, image: ZoneImage): Generator<Buffer> {
  const known = query.type === queryTypes.ixfr ? knownSerial(query) : undefined
  return messagesWith(query, (known === undefined ? undefined : changesSince(image, known)) ?? wholeZone(image))
}

const soaOf = (image: ZoneImage) => recordsOf({ owner: image.origin, rrset: image.soa! })

/** The SOA record, all other records, the SOA record again. The zone may change while they are sent. */
function wholeZone(image: ZoneImage): Iterable<Buffer> {
  const soa = soaOf(image)
  const others = image.signer ? wholeSigned(image, image.signer) : [...image.others()]
  return (function* () {
    yield* soa
    for (const one of others) yield* recordsOf(one)
    yield* soa
  })()
}

/**
 * What has changed since a serial (RFC 1995, 4): the SOA record alone when nothing is newer; undefined when it is not known
 * any more.
 */
function changesSince(image: ZoneImage, serial: number): Iterable<Buffer> | undefined {
  const soa = soaOf(image)
  if (!isNewer(image.serial!, serial)) return soa
  // The signatures that go and come with a change are not kept.
  if (image.signer) return undefined
  const differences = image.journal.since(serial)
  return differences && [...soa, ...differences.flatMap(({ deleted, added }) => [...deleted, ...added]), ...soa]
}

/** The serial of the zone that the client has; undefined when the query does not say. */
function knownSerial({ bytes, end }: Query): number | undefined {
  if (bytes.readUInt16BE(8) === 0) return undefined
  const fixed = skipName(bytes, end)
  if (fixed < 0 || fixed + 10 > bytes.length || bytes.readUInt16BE(fixed) !== recordTypes.SOA.code) return undefined
  const nameEnd = skipName(bytes, fixed + 10)
  const at = nameEnd < 0 ? -1 : skipName(bytes, nameEnd)
  return at < 0 || at + 4 > bytes.length ? undefined : bytes.readUInt32BE(at)
}

function* messagesWith(query: Query, all: Iterable<Buffer>): Generator<Buffer> {
  let records: Buffer[] = []
  let count = 0
  let length = 0
  let isFirst = true
  const flush = (): Buffer => {
    const head = Buffer.from(query.bytes.subarray(0, isFirst ? query.end : headerBytes))
    head[2] = 0x84 | (head[2]! & 1)
    head[3] = 0
    ;[isFirst ? 1 : 0, count, 0, 0].forEach((value, index) => {
      head.writeUInt16BE(value, 4 + 2 * index)
    })
    const message = Buffer.concat([head, ...records])
    isFirst = false
    records = []
    count = 0
    length = 0
    return message
  }
  for (const bytes of all) {
    if (length > 0 && length + bytes.length > messageBytes) yield flush()
    records.push(bytes)
    count++
    length += bytes.length
  }
  yield flush()
}

/** Milliseconds before an unacknowledged NOTIFY is sent again; doubled with each attempt. */
const firstRetryMs = 1_000
const tries = 5
/** The maximum number of unacknowledged NOTIFY messages. Secondaries find further changes by polling. */
const mostWaiting = 10_000

interface Waiting {
  /** The zone and the secondary; a newer NOTIFY for the same topic replaces this one. */
  readonly topic: string
  readonly message: Buffer
  readonly secondary: Secondary
  /** Tells whether what came is an acknowledgement of the secondary. */
  isFrom(answer: Buffer): boolean
  timer: NodeJS.Timeout | undefined
}

/** Notifies secondaries of changes and retries until they acknowledge. */
export class Notifier {
  readonly #secondaries: readonly Secondary[]
  readonly #log: Logger
  readonly #nowMs: () => number
  readonly #sockets = new Map<'udp4' | 'udp6', Socket>()
  /** Unanswered NOTIFYs by message id and address; at most one for each zone and secondary. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #keys = new Map<string, string>()

  constructor(secondaries: readonly Secondary[], { log, clock }: { readonly log: Logger; readonly clock: Clock }) {
    this.#secondaries = secondaries
    this.#log = log
    this.#nowMs = clock.now
  }

  /** Notifies all secondaries that a zone has changed. */
  notify(zoneName: string): void {
    for (const secondary of this.#secondaries) {
      if (this.#waiting.size >= mostWaiting) return
      const topic = `${zoneName} ${secondary.address} ${secondary.port}`
      this.#done(this.#keys.get(topic))
      const id = randomInt(65_536)
      const key = `${id} ${secondary.address} ${secondary.port}`
      if (this.#waiting.has(key)) continue
      const notice = this.#signed(notifyMessage(id, nameOf(zoneName)), secondary)
      const waiting: Waiting = { topic, ...notice, secondary, timer: undefined }
      this.#waiting.set(key, waiting)
      this.#keys.set(topic, key)
      this.#send(key, waiting, 1)
    }
  }

  close(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
    for (const socket of this.#sockets.values()) socket.close()
    this.#sockets.clear()
  }

  #signed(message: Buffer, { key }: Secondary): Pick<Waiting, 'message' | 'isFrom'> {
    if (!key) return { message, isFrom: () => true }
    const signed = sign(message, key, { seconds: Math.floor(this.#nowMs() / 1_000) })
    const isFrom = (answer: Buffer) => {
      try {
        new AnswerCheck(key, signed.mac, this.#nowMs).take(answer)
        return true
      } catch (error) {
        this.#log.debug({ err: error }, 'an acknowledgement of a NOTIFY message cannot be trusted')
        return false
      }
    }
    return { message: signed.message, isFrom }
  }

  #send(key: string, waiting: Waiting, attempt: number): void {
    const { address, port } = waiting.secondary
    this.#socket(isIPv6(address) ? 'udp6' : 'udp4').send(waiting.message, port, address)
    waiting.timer = setTimeout(
      () => {
        if (attempt < tries) return this.#send(key, waiting, attempt + 1)
        this.#log.info({ secondary: `${address}:${port}` }, 'a secondary did not acknowledge a NOTIFY message')
        this.#done(key)
      },
      firstRetryMs * 2 ** (attempt - 1),
    )
    waiting.timer.unref()
  }

  #done(key: string | undefined): void {
    const waiting = key === undefined ? undefined : this.#waiting.get(key)
    if (!waiting) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(key!)
    this.#keys.delete(waiting.topic)
  }

  #socket(type: 'udp4' | 'udp6'): Socket {
    const known = this.#sockets.get(type)
    if (known) return known
    const socket = createSocket(type)
    socket.unref()
    socket.on('error', (error) => this.#log.debug({ err: error }, 'a NOTIFY message could not be sent'))
    socket.on('message', (bytes, { address, port }) => {
      if (bytes.length >= headerBytes && (bytes[2]! & 0xf8) === 0xa0) {
        const key = `${bytes.readUInt16BE(0)} ${address} ${port}`
        if (this.#waiting.get(key)?.isFrom(bytes)) this.#done(key)
      }
    })
    this.#sockets.set(type, socket)
    return socket
  }
}

function notifyMessage(id: number, zone: NameKey): Buffer {
  const head = Buffer.alloc(headerBytes)
  head.writeUInt16BE(id, 0)
  head[2] = (opcodes.notify << 3) | 4
  head[5] = 1
  return Buffer.concat([head, Buffer.from(zone, 'latin1'), Buffer.of(0, recordTypes.SOA.code, 0, 1)])
}
