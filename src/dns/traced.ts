/** Transfers of zones as spans. */
import type { Span, SpanStart, Tracer } from '../kernel/process/tracing.ts'
import { type NameKey, printName } from '../protocols/net/dns/names.ts'

/** The types of questions that ask for a zone or for its changes. */
export type TransferType = 'AXFR' | 'IXFR'

/** Another name server. */
interface Peer {
  readonly address: string
  readonly port?: number
}

/** The start of asking another name server about a zone. */
export function askingStart(type: 'SOA' | TransferType, zone: string, peer: Peer): SpanStart {
  return { name: `DNS ${type}`, kind: 'outgoing', attributes: attributesOf(type, zone, peer) }
}

/** The start of bringing a secondary zone up to date, which belongs to no request. */
export function refreshStart(zone: string): SpanStart {
  return { name: 'zone refresh', parent: {}, attributes: { 'dns.question.name': zone } }
}

/** The messages of a transfer to another name server, as a span until it has all of them or leaves. */
export function* tracedTransfer(
  tracer: Tracer,
  { type, name, address }: { readonly type: TransferType; readonly name: NameKey; readonly address: string },
  messages: Iterable<Buffer>,
): Generator<Buffer> {
  const attributes = attributesOf(type, printName(name), { address })
  const span = tracer.begin({ name: `DNS ${type}`, kind: 'incoming', parent: {}, attributes })
  const sent = { bytes: 0, messages: 0 }
  let isWhole = false
  try {
    for (const message of messages) {
      yield message
      sent.bytes += message.length
      sent.messages++
    }
    isWhole = true
  } finally {
    endOf(span, sent, isWhole)
  }
}

function endOf(span: Span, { bytes, messages }: { bytes: number; messages: number }, isWhole: boolean): void {
  if (!isWhole) span.fail('aborted')
  span.add({ 'wolke.dns.bytes': bytes, 'wolke.dns.messages': messages })
  span.end()
}

function attributesOf(type: string, zone: string, { address, port }: Peer) {
  return {
    'dns.question.name': zone,
    'dns.question.type': type,
    'wolke.dns.peer': port === undefined ? address : `${address} ${port}`,
  }
}
