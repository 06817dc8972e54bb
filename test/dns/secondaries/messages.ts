/** Questions and answers as bytes, whatever bytes names have; independent of the name server and of its libraries. */
import { exchangeStream, framed, type Place } from '../client.ts'

export const types = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MINFO: 14,
  MX: 15,
  TXT: 16,
  RP: 17,
  AFSDB: 18,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  ANY: 255,
  CAA: 257,
  TYPE65280: 65_280,
} as const

export type TypeName = keyof typeof types

export interface Question {
  /** In presentation format, absolute without a trailing dot. */
  readonly name: string
  readonly type: TypeName
  readonly dnssecOk: boolean
}

export interface Told {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly isTruncated: boolean
  /** Records of each section in order of their texts. */
  readonly answers: readonly string[]
  readonly authorities: readonly string[]
  readonly additionals: readonly string[]
}

/** Asks many questions over one connection. Answers come in the order of the questions. */
export async function askAll(place: Place, questions: readonly Question[]): Promise<Told[]> {
  const told: Told[] = new Array(questions.length)
  // Servers answer the queries of a connection in any order.
  const stream = Buffer.concat(questions.map((question, id) => framed(queryOf(question, id))))
  for (const message of await exchangeStream(place, stream, questions.length))
    told[message.readUInt16BE(0)] = read(message)
  return told
}

function queryOf({ name, type, dnssecOk }: Question, id: number): Buffer {
  const head = Buffer.from([id >> 8, id & 255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1])
  const opt = Buffer.from([0, 0, 41, 4, 208, 0, 0, dnssecOk ? 0x80 : 0, 0, 0, 0])
  return Buffer.concat([head, wireName(name), Buffer.from([types[type] >> 8, types[type] & 255, 0, 1]), opt])
}

/** A name in wire format. */
export function wireName(text: string): Buffer {
  const labels = text.match(/(?:\\\d{3}|\\.|[^.\\])+/gs) ?? []
  const bytes = labels.map((label) => {
    const plain = label.replace(/\\(\d{3})|\\(.)/gs, (_, code, character) => character ?? String.fromCharCode(code))
    return Buffer.concat([Buffer.of(plain.length), Buffer.from(plain, 'latin1')])
  })
  return Buffer.concat([...bytes, Buffer.of(0)])
}

function read(message: Buffer): Told {
  let at = 12
  for (let question = message.readUInt16BE(4); question > 0; question--) at = nameAt(message, at).end + 4
  const sections = [6, 8, 10].map((counter) => {
    const records: string[] = []
    for (let left = message.readUInt16BE(counter); left > 0; left--) {
      const record = recordAt(message, at)
      at = record.end
      if (record.text !== undefined) records.push(record.text)
    }
    return records.sort()
  })
  return {
    rcode: message[3]! & 15,
    isAuthoritative: (message[2]! & 4) !== 0,
    isTruncated: (message[2]! & 2) !== 0,
    answers: sections[0]!,
    authorities: sections[1]!,
    additionals: sections[2]!,
  }
}

function recordAt(message: Buffer, start: number): { text: string | undefined; end: number } {
  const owner = nameAt(message, start)
  const type = message.readUInt16BE(owner.end)
  const data = owner.end + 10
  const end = data + message.readUInt16BE(owner.end + 8)
  if (type === 41) return { text: undefined, end }
  const ttl = message.readUInt32BE(owner.end + 4)
  const typeText = Object.entries(types).find(([, code]) => code === type)?.[0] ?? `TYPE${type}`
  return { text: `${shown(owner.name).toLowerCase()} ${ttl} ${typeText} ${dataAt(message, type, data, end)}`, end }
}

/** Where names are in data that servers compress: after so many bytes, so many of them. */
const names: Readonly<Record<number, readonly [before: number, count: number]>> = {
  2: [0, 1],
  5: [0, 1],
  6: [0, 2],
  12: [0, 1],
  14: [0, 2],
  15: [2, 1],
  17: [0, 2],
  18: [2, 1],
  33: [6, 1],
  39: [0, 1],
}

function dataAt(message: Buffer, type: number, start: number, end: number): string {
  const [before, count] = names[type] ?? [0, 0]
  let at = start + before
  let text = message.toString('hex', start, at)
  for (let index = 0; index < count; index++) {
    const { name, end: next } = nameAt(message, at)
    text += ` ${shown(name)} `
    at = next
  }
  // The type that a signature covers is what one looks for.
  const covered = type === 46 ? `(${message.readUInt16BE(start)}) ` : ''
  return covered + text + message.toString('hex', at, end)
}

const shown = (wire: string) => JSON.stringify(wire).slice(1, -1)

/** A name with a dot after each label; dots in labels are marked. */
function nameAt(message: Buffer, start: number): { name: string; end: number } {
  let name = ''
  let end: number | undefined
  let limit = start
  for (let at = start; ; ) {
    const length = message.readUInt8(at)
    if (length >= 0xc0) {
      end ??= at + 2
      const target = message.readUInt16BE(at) & 0x3fff
      if (target >= limit) throw new Error(`the name at ${start} does not end`)
      at = limit = target
    } else if (length === 0) {
      return { name, end: end ?? at + 1 }
    } else {
      name += `${message.toString('latin1', at + 1, at + 1 + length).replaceAll('.', '\\.')}.`
      at += length + 1
    }
  }
}
