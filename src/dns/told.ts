/** Tells of the answers of the name server, where somebody listens. */
import { channels, type DnsMessage } from '../kernel/process/channels.ts'
import { headerBytes } from '../protocols/net/dns/wire.ts'
import type { Answering } from './answering.ts'

/** The same answers, of which listeners hear. */
export function told(plain: Answering): Answering {
  return {
    udp(bytes, address) {
      const answer = plain.udp(bytes, address)
      if (!channels.dnsAnswer.hasSubscribers) return answer
      if (!(answer instanceof Promise)) return tell('udp', bytes, answer)
      return answer.then((later) => tell('udp', bytes, later))
    },
    async *tcp(bytes, address) {
      let isFirst = true
      for await (const message of plain.tcp(bytes, address)) {
        if (isFirst && channels.dnsAnswer.hasSubscribers) tell('tcp', bytes, message)
        isFirst = false
        yield message
      }
      if (isFirst && channels.dnsAnswer.hasSubscribers) tell('tcp', bytes, undefined)
    },
  }
}

function tell(transport: DnsMessage['transport'], query: Buffer, answer: Buffer | undefined): Buffer | undefined {
  const rcode = answer && answer[3]! & 0xf
  const isTruncated = answer !== undefined && (answer[2]! & 2) !== 0
  channels.dnsAnswer.publish({ transport, type: askedType(query), rcode, isTruncated })
  return answer
}

/** The type that a query asks for; undefined for one that is malformed. Names in questions are plain. */
function askedType(query: Buffer): number | undefined {
  let at = headerBytes
  while (at < query.length && query[at] !== 0) {
    if (query[at]! > 63) return undefined
    at += query[at]! + 1
  }
  return at + 5 <= query.length ? query.readUInt16BE(at + 1) : undefined
}

/** The messages of a transfer to a secondary, of whose end listeners hear: one that is not taken whole has failed. */
export function* toldOfTransfer(messages: Iterable<Buffer>): Generator<Buffer> {
  let outcome: 'success' | 'failure' = 'failure'
  try {
    yield* messages
    outcome = 'success'
  } finally {
    if (channels.dnsTransfer.hasSubscribers) channels.dnsTransfer.publish({ direction: 'out', outcome })
  }
}
