/** A primary name server that sends whatever does harm, written byte by byte: a library would refuse to. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { framed } from '../../test/dns-client.ts'

export type Manner = 'honest' | 'many' | 'inflating' | 'endless' | 'drip' | 'garbage'

export interface Primary {
  readonly port: number
  /** Bytes that were sent so far. */
  readonly sent: number
  /** Connections that are open, the most that were at once, and how many there were. */
  readonly open: number
  readonly mostOpen: number
  readonly asked: number
  close(): Promise<void>
}

export interface PrimaryOptions {
  readonly manner: Manner
  /** How many records it has, where it does not send for ever. */
  readonly records: number
}

const types = { A: 1, SOA: 6, RP: 17, AXFR: 252 } as const
/** A pointer to the question, which names the zone and stands behind the header of each message. */
const zonePointer = Buffer.from([0xc0, 0x0c])

const label = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(300, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function soa(): Buffer {
  const times = Buffer.alloc(20)
  for (const [i, value] of [1, 3_600, 600, 86_400, 60].entries()) times.writeUInt32BE(value, i * 4)
  return record(zonePointer, types.SOA, Buffer.concat([label('ns'), zonePointer, label('me'), zonePointer, times]))
}

/** A response with the question of a query and some records. */
function response(query: Buffer, records: readonly Buffer[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8400, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  return framed(Buffer.concat([header, questionOf(query), ...records]))
}

function questionOf(query: Buffer): Buffer {
  let at = 12
  while (query[at] !== 0) at += query[at]! + 1
  return query.subarray(12, at + 5)
}

const typeOf = (query: Buffer) => questionOf(query).readUInt16BE(questionOf(query).length - 4)

const address = (n: number) =>
  record(Buffer.concat([label(`h${n}`), zonePointer]), types.A, Buffer.from([10, n >> 16, n >> 8, n]))

/** Messages of A records, `count` of them or without an end. */
function* addresses(query: Buffer, count: number): Generator<Buffer> {
  const each = 500
  for (let n = 0; n < count; n += each) {
    const some = Math.min(each, count - n)
    yield response(
      query,
      Array.from({ length: some }, (_, i) => address(n + i)),
    )
  }
}

/**
 * Messages of RP records of 16 bytes, each of which stands for a text of up to 500: their two names are pointers into one
 * long name, to different places, so that no two records are the same.
 */
function* inflating(query: Buffer, count: number): Generator<Buffer> {
  const labels = 100
  const longName = Buffer.concat([Buffer.concat(Array<Buffer>(labels).fill(label('x'))), zonePointer])
  const first = record(zonePointer, types.RP, Buffer.concat([longName, zonePointer]))
  // Where the long name begins: after the header, the question and what stands before the data of the first record.
  const start = 12 + questionOf(query).length + 12
  const pointer = (n: number) => {
    const to = start + (n % labels) * 2
    return Buffer.from([0xc0 | (to >> 8), to & 0xff])
  }
  const each = 2_000
  for (let n = 0; n < count; n += each) {
    const rest = Array.from({ length: each - 1 }, (_, i) => {
      const k = n + i
      // Few of a name, so that no limit of an RRSet is met.
      const owner = Buffer.concat([label(`r${Math.floor(k / 100)}`), zonePointer])
      return record(owner, types.RP, Buffer.concat([pointer(k), pointer(Math.floor(k / labels))]))
    })
    yield response(query, [first, ...rest])
  }
}

function* transfer(query: Buffer, { manner, records }: PrimaryOptions): Generator<Buffer> {
  if (manner === 'garbage') return yield framed(Buffer.concat([query.subarray(0, 2), Buffer.alloc(60_000, 0xc0)]))
  yield response(query, [soa()])
  if (manner === 'inflating') yield* inflating(query, records)
  else yield* addresses(query, manner === 'endless' || manner === 'drip' ? Number.POSITIVE_INFINITY : records)
  yield response(query, [soa()])
}

async function answer(socket: Socket, query: Buffer, options: PrimaryOptions, count: (bytes: number) => void) {
  if (typeOf(query) !== types.AXFR) return void socket.write(response(query, [soa()]))
  for (const message of transfer(query, options)) {
    if (!socket.writable) return
    const pieces = options.manner === 'drip' ? [...message].map((byte) => Buffer.from([byte])) : [message]
    for (const piece of pieces) {
      count(piece.length)
      const isTaken = socket.write(piece)
      if (options.manner === 'drip') await delay(200)
      else if (!isTaken) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      if (!socket.writable) return
    }
  }
}

/** Starts one on loopback. */
export async function startPrimary(options: PrimaryOptions): Promise<Primary> {
  const sockets = new Set<Socket>()
  let [sent, asked, mostOpen] = [0, 0, 0]
  const count = (bytes: number) => {
    sent += bytes
  }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    asked++
    mostOpen = Math.max(mostOpen, sockets.size)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const query = rest.subarray(2, 2 + rest.readUInt16BE(0))
        rest = rest.subarray(2 + query.length)
        // It is over when the other side has had enough.
        answer(socket, query, options, count).catch(() => socket.destroy())
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    get sent() {
      return sent
    },
    get open() {
      return sockets.size
    },
    get mostOpen() {
      return mostOpen
    },
    get asked() {
      return asked
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
