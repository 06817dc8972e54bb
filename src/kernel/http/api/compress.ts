/** Compression of answers on request (spec: Pagination and sorting rules): gzip and brotli, for JSON of 1 KiB and more. */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { AtOnce } from '../../process/at-once.ts'
import { readWeights } from './weights.ts'

/** Shorter bodies gain nothing from compression. */
const minCompressedBytes = 1_024
/** To compress a text up to this length takes less than to hand it to another thread, and no longer than a short read. */
const mostAtOnce = 16_384

const toGzip = promisify(gzip)
const toBrotli = promisify(brotliCompress)
// The default of 11 is meant for files that are compressed once; 4 is faster than gzip and smaller.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

export type Encoding = 'br' | 'gzip' | 'identity'

/** Tells whether `text` is long enough to be compressed. */
export function isCompressible(text: string): boolean {
  return text.length >= minCompressedBytes || Buffer.byteLength(text) >= minCompressedBytes
}

/** Encodes `text`; compression of what is long runs on Node's thread pool. */
export function pack(text: string | Buffer, encoding: Encoding): AtOnce<Buffer> {
  if (encoding === 'identity') return Buffer.from(text)
  const isShort = text.length <= mostAtOnce
  if (encoding === 'br') return isShort ? brotliCompressSync(text, brotliOptions) : toBrotli(text, brotliOptions)
  return isShort ? gzipSync(text) : toGzip(text)
}

/** The encoding with the highest weight; among equals the one that compresses best (RFC 9110, 12.5.3). */
export function preferredEncoding(acceptEncoding: string | undefined): Encoding {
  if (!acceptEncoding) return 'identity'
  const weights = readWeights(acceptEncoding)
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : 'identity'
}
