/** Compression of answers on request (spec: Pagination and sorting rules, 4): gzip and brotli, for JSON of 1 KiB and more. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Negotiator } from '@fastify/accept-negotiator'

/** Shorter bodies gain nothing. */
export const minCompressedLength = 1_024

const negotiator = new Negotiator({ supportedValues: ['br', 'gzip', 'identity'] })
const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)
// The default of 11 is made for files that are compressed once; 4 is faster than gzip and smaller.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

export interface Compressed {
  readonly encoding: 'br' | 'gzip'
  readonly body: Promise<Buffer>
}

/** Compresses `text` as the caller's Accept-Encoding asks; undefined when it should go out as it is. */
export function compressed(text: string, acceptEncoding: string | undefined): Compressed | undefined {
  if (!acceptEncoding) return undefined
  const encoding = negotiator.negotiate(acceptEncoding)
  if (encoding === 'br') return { encoding, body: toBrotli(text, brotliOptions) }
  if (encoding === 'gzip') return { encoding, body: toGzip(text) }
  return undefined
}
