/** Harmful behaviours of primary name servers. */
import { setTimeout as delay } from 'node:timers/promises'
import { framed } from '../../test/dns/client.ts'
import { inZone, label, message, record, soa, type Transfer, zonePointer } from '../../test/dns/hostile-primary.ts'

export type Manner = 'honest' | 'many' | 'inflating' | 'endless' | 'drip' | 'garbage'

/** The transfer that a behaviour sends; `records` is its length unless it is endless. */
export function transferIn(manner: Manner, records: number): Transfer {
  const endless = (head: Buffer) => zone(head, addresses(head, Number.POSITIVE_INFINITY))
  switch (manner) {
    case 'garbage':
      return (head) => [framed(Buffer.concat([head.subarray(0, 2), Buffer.alloc(60_000, 0xc0)]))]
    case 'inflating':
      return (head) => zone(head, inflating(head, records))
    case 'endless':
      return endless
    case 'drip':
      return (head) => dripping(endless(head))
    default:
      return (head) => zone(head, addresses(head, records))
  }
}

function* zone(head: Buffer, messages: Iterable<Buffer>): Generator<Buffer> {
  yield message(head, [soa()])
  yield* messages
  yield message(head, [soa()])
}

const address = (n: number) => record(inZone(`h${n}`), 1, Buffer.from([10, n >> 16, n >> 8, n]))

/** Messages of `count` A records, or without end. */
function* addresses(head: Buffer, count: number): Generator<Buffer> {
  const each = 500
  for (let n = 0; n < count; n += each) {
    const some = Math.min(each, count - n)
    yield message(
      head,
      Array.from({ length: some }, (_, i) => address(n + i)),
    )
  }
}

/**
 * Messages of RP records of 16 bytes, each of which expands to a text of up to 500 characters: both names are pointers
 * to varying places in one long name, so that no two records are equal.
 */
function* inflating(head: Buffer, count: number): Generator<Buffer> {
  const labels = 100
  const longName = Buffer.concat([Buffer.concat(Array<Buffer>(labels).fill(label('x'))), zonePointer])
  const first = record(zonePointer, 17, Buffer.concat([longName, zonePointer]))
  // The long name begins after the header and the fixed part of the first record.
  const start = head.length + 12
  const pointer = (n: number) => {
    const to = start + (n % labels) * 2
    return Buffer.from([0xc0 | (to >> 8), to & 0xff])
  }
  const each = 2_000
  for (let n = 0; n < count; n += each) {
    const rest = Array.from({ length: each - 1 }, (_, i) => {
      const k = n + i
      // Few records per name, to stay below the limits of an RRSet.
      return record(inZone(`r${Math.floor(k / 100)}`), 17, Buffer.concat([pointer(k), pointer(Math.floor(k / labels))]))
    })
    yield message(head, [first, ...rest])
  }
}

/** The same messages byte by byte. */
async function* dripping(messages: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const bytes of messages) {
    for (const byte of bytes) {
      yield Buffer.of(byte)
      await delay(200)
    }
  }
}
