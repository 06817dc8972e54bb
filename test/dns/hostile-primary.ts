/** A primary name server that sends hand-made messages, which no library would produce. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { decode, encode } from 'dns-packet'
import { framed } from './client.ts'

/** Yields the pieces of the answer to a zone transfer. Every message in them begins with `head`. */
export type Transfer = (head: Buffer, zone: string) => AsyncIterable<Buffer> | Iterable<Buffer>

export interface Primary {
  readonly port: number
  /** Bytes of zone transfers sent so far. */
  readonly sent: number
  /** Number of open connections, and of all connections so far. */
  readonly open: number
  readonly asked: number
  /** The maximum number of concurrent zone transfers so far. */
  readonly mostTransfers: number
  close(): Promise<void>
}

/** Starts a primary on loopback. It answers SOA queries correctly, and zone transfers with `transfer`. */
export async function startPrimary(transfer: Transfer): Promise<Primary> {
  const sockets = new Set<Socket>()
  const counts = { sent: 0, asked: 0, transfers: 0, mostTransfers: 0 }
  const answer = async (socket: Socket, query: Buffer) => {
    const { id, questions } = decode(query)
    const { name, type } = questions![0]!
    const head = encode({ type: 'response', id, flags: 0x400, questions: questions! })
    if (type === 'SOA') return void socket.write(message(head, [soa()]))
    counts.mostTransfers = Math.max(counts.mostTransfers, ++counts.transfers)
    socket.once('close', () => counts.transfers--)
    for await (const piece of transfer(head, name)) {
      if (!socket.writable) return
      counts.sent += piece.length
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    counts.asked++
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const query = rest.subarray(2, 2 + rest.readUInt16BE(0))
        rest = rest.subarray(2 + query.length)
        // The transfer ends when the other side closes the connection.
        answer(socket, query).catch(() => socket.destroy())
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    get sent() {
      return counts.sent
    },
    get open() {
      return sockets.size
    },
    get asked() {
      return counts.asked
    },
    get mostTransfers() {
      return counts.mostTransfers
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

// ---- Messages as bytes ---------------------------------------------------------------------------------------------

/** A compression pointer to the zone's name in the question, which follows the header of every message. */
export const zonePointer = Buffer.of(0xc0, 12)

export const label = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)])

/** A name in the zone. */
export const inZone = (text: string) => Buffer.concat([label(text), zonePointer])

export function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(300, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

export function soa(): Buffer {
  const times = Buffer.alloc(20)
  for (const [i, value] of [1, 3_600, 600, 86_400, 60].entries()) times.writeUInt32BE(value, i * 4)
  return record(zonePointer, 6, Buffer.concat([inZone('ns'), inZone('me'), times]))
}

/** A message with records, in its TCP form with a length prefix. */
export function message(head: Buffer, records: readonly Buffer[]): Buffer {
  const all = Buffer.concat([head, ...records])
  all.writeUInt16BE(records.length, 6)
  return framed(all)
}
