/** Sends and takes bytes as they come. */
import { Readable } from 'node:stream'
import { type Download, rangeIn } from '../../contract/bytes.ts'
import type { Incoming, Outgoing } from './exchange.ts'

/**
 * The body of a request as it comes; it is read once. All of it has to come in the time that every request has. Errors: a client
 * that leaves or is late.
 */
export function bytesIn({ body }: Pick<Incoming, 'body'>): AsyncIterable<Buffer> {
  return body instanceof Readable ? bytesOf(body) : Readable.from([])
}

/** What its reader does not want is thrown away, so that the next request on the connection is heard. */
async function* bytesOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false })
  } finally {
    body.resume()
  }
}

/** Two texts for a file name: one that every browser knows, and the name itself (RFC 6266). */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

/** Tells whether what a client has of a file is of the same one (RFC 9110, 13.1.5). */
const isSame = (given: string | undefined, tag: string) => given === undefined || given === tag

/**
 * Sends a file, or the range that was asked for. Browsers are told to keep it and never to show it: whoever wrote it must not
 * become part of this site.
 */
export function sendDownload(request: Incoming, reply: Outgoing, { name, size, modified, open }: Download): Outgoing {
  const tag = `"${size.toString(16)}-${Math.floor(modified).toString(16)}"`
  const { range: asked, 'if-range': given } = request.headers
  const range = isSame(Array.isArray(given) ? given[0] : given, tag) ? rangeIn(asked, size) : undefined
  reply
    .header('accept-ranges', 'bytes')
    .header('etag', tag)
    .header('last-modified', new Date(modified).toUTCString())
    .header('cache-control', 'private, no-cache')
    .header('content-disposition', disposition(name))
    .header('content-security-policy', "default-src 'none'; sandbox")
    .type('application/octet-stream')
  if (range === null)
    return reply.code(416).header('content-range', `bytes */${size}`).header('content-length', '0').send('')
  const { start, end } = range ?? { start: 0, end: size }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
  reply.header('content-length', String(end - start))
  if (reply.raw.destroyed || start === end) return reply.send('')
  return reply.send(Readable.from(open(start, end), { objectMode: false, highWaterMark: 1_048_576 }))
}
