/** A DNS client that is independent of the name server: another library encodes and decodes the messages. */
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { type DecodedPacket, decode, encode, type OptAnswer, type Packet } from 'dns-packet'
import type { DnsOptions } from '../../src/cloud.ts'
import type { NameServer } from '../../src/dns/server.ts'
import type { World } from '../kit/harness.ts'

export type Place = Pick<NameServer, 'host' | 'port'>

/** Starts a name server for a world on a free port; it stops together with the world. */
export function serveDns({ app }: World, options: DnsOptions = {}, host = '127.0.0.1'): Promise<NameServer> {
  return app.serveDns({ host, port: 0 }, options)
}

const patienceMs = 300_000

/** Sends bytes over UDP and returns the answer. */
export function exchangeUdp({ host, port }: Place, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    const timer = setTimeout(() => end(() => reject(new Error('no answer'))), patienceMs)
    const end = (finish: () => void) => {
      clearTimeout(timer)
      socket.close()
      finish()
    }
    socket.on('message', (answer) => end(() => resolve(answer)))
    socket.send(bytes, port, host)
  })
}

/** A message with its length prefix. */
export function framed(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message])
}

/** Sends one message over TCP and returns `count` answers. */
export function exchangeTcp(place: Place, message: Uint8Array, count = 1): Promise<Buffer[]> {
  return exchangeStream(place, framed(message), count)
}

/** Sends bytes over TCP and returns `count` messages, or those received before the connection ends. */
export function exchangeStream({ host, port }: Place, stream: Uint8Array, count: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host)
    let rest = Buffer.alloc(0)
    const messages: Buffer[] = []
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
    socket.on('close', () => resolve(messages))
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        messages.push(rest.subarray(2, 2 + rest.readUInt16BE(0)))
        rest = rest.subarray(2 + rest.readUInt16BE(0))
        if (messages.length === count) socket.destroy()
      }
    })
    if (count > 0) socket.write(stream)
    else socket.end(stream)
  })
}

/** Options of a query. */
export interface Asking {
  readonly tcp?: boolean
  /** The EDNS payload size; undefined sends no EDNS. */
  readonly edns?: number
  readonly packet?: Partial<Packet>
}

const extendedRcodes = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

/** A decoded answer. */
export interface Told {
  readonly rcode: string
  readonly isAuthoritative: boolean
  readonly isTruncated: boolean
  /** Records as `name type data`. */
  readonly answers: string[]
  readonly authorities: string[]
  readonly additionals: string[]
  readonly packet: DecodedPacket
  readonly bytes: Buffer
}

/** The record of EDNS with a payload size. */
export function optOf(udpPayloadSize: number, more: Partial<OptAnswer> = {}): OptAnswer {
  const plain = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  return { type: 'OPT', name: '.', udpPayloadSize, ...plain, ...more }
}

export function question(name: string, type: string, { edns, packet }: Asking = {}): Buffer {
  return encode({
    type: 'query',
    id: 4711,
    questions: [{ type: type as 'A', name }],
    ...(edns === undefined ? {} : { additionals: [optOf(edns)] }),
    ...packet,
  })
}

export async function ask(place: Place, name: string, type: string, asking: Asking = {}): Promise<Told> {
  const bytes = question(name, type, asking)
  return tell(asking.tcp ? (await exchangeTcp(place, bytes))[0]! : await exchangeUdp(place, bytes))
}

/** Decodes an answer. */
export function tell(bytes: Buffer): Told {
  const packet = decode(bytes)
  const inWords = (records: DecodedPacket['answers'] = []) =>
    records.flatMap((record) => (record.type === 'OPT' ? [] : [`${record.name} ${record.type} ${dataInWords(record)}`]))
  return {
    rcode: extendedRcodes[bytes[3]! & 0xf] ?? String(bytes[3]! & 0xf),
    isAuthoritative: packet.flag_aa,
    isTruncated: packet.flag_tc,
    answers: inWords(packet.answers),
    authorities: inWords(packet.authorities),
    additionals: inWords(packet.additionals),
    packet,
    bytes,
  }
}

function dataInWords(record: object): string {
  const { data } = record as { data: unknown }
  if (typeof data === 'string') return data
  if (Buffer.isBuffer(data)) return data.toString('hex')
  if (Array.isArray(data)) return data.map(String).join(' ')
  return Object.values(data as object)
    .map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
    .join(' ')
}
